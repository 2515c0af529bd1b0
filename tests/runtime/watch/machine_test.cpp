// SPDX-License-Identifier: Apache-2.0
//
// Cores and memory of machines that are put up as files below a folder, as the kernel shows them (man 7
// cgroups, man 5 proc).
#include "runtime/watch/machine.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace headrace {
namespace {

namespace fs = std::filesystem;

class MachineTest : public testing::Test {
 protected:
  MachineTest() {
    std::string name = (fs::temp_directory_path() / "machine_XXXXXX").string();
    root_ = mkdtemp(name.data());
    put("proc/self/status", "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-5,8,10-11\nVmHWM:\t1 kB\n");
    put("proc/meminfo", "MemTotal:       16777216 kB\nMemFree:  1 kB\n");
  }
  ~MachineTest() override { fs::remove_all(root_); }

  void put(const fs::path& path, std::string_view text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  Machine machine() const { return this_machine(root_); }

  static constexpr std::int64_t kGiB = std::int64_t{1} << 30;
  fs::path root_;
};

TEST_F(MachineTest, WithoutGroupsHasWhatAffinityAndTheMachineGive) {
  EXPECT_EQ(machine().cores, 9);
  EXPECT_EQ(machine().memory_bytes, 16 * kGiB);
}

TEST_F(MachineTest, TakesTheQuotaOfItsGroupRoundedUp) {
  put("proc/self/cgroup", "0::/job\n");
  put("sys/fs/cgroup/job/cpu.max", "250000 100000\n");
  put("sys/fs/cgroup/job/memory.max", "2147483648\n");
  EXPECT_EQ(machine().cores, 3);
  EXPECT_EQ(machine().memory_bytes, 2 * kGiB);
}

TEST_F(MachineTest, TakesTheLeastOfItsGroupAndThoseAbove) {
  put("proc/self/cgroup", "0::/slice/job\n");
  put("sys/fs/cgroup/slice/job/cpu.max", "400000 100000\n");
  put("sys/fs/cgroup/slice/cpu.max", "200000 100000\n");
  put("sys/fs/cgroup/slice/job/memory.max", "1073741824\n");
  put("sys/fs/cgroup/slice/memory.max", "max\n");
  EXPECT_EQ(machine().cores, 2);
  EXPECT_EQ(machine().memory_bytes, kGiB);
}

TEST_F(MachineTest, FindsItsGroupAtTheRootInsideAContainer) {
  put("proc/self/cgroup", "0::/\n");
  put("sys/fs/cgroup/cpu.max", "150000 100000\n");
  EXPECT_EQ(machine().cores, 2);
}

TEST_F(MachineTest, FindsTheRootsLimitsWhenItsPathIsTheHosts) {
  put("proc/self/cgroup", "0::/system.slice/docker-1234.scope\n");
  put("sys/fs/cgroup/cpu.max", "100000 100000\n");
  EXPECT_EQ(machine().cores, 1);
}

TEST_F(MachineTest, IsNotLimitedByMax) {
  put("proc/self/cgroup", "0::/job\n");
  put("sys/fs/cgroup/job/cpu.max", "max 100000\n");
  put("sys/fs/cgroup/job/memory.max", "max\n");
  EXPECT_EQ(machine().cores, 9);
  EXPECT_EQ(machine().memory_bytes, 16 * kGiB);
}

TEST_F(MachineTest, KnowsGroupsOfVersionOne) {
  put("proc/self/cgroup", "5:cpu,cpuacct:/job\n4:memory:/job\n0::/\n");
  put("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "400000\n");
  put("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "3221225472\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(machine().cores, 4);
  EXPECT_EQ(machine().memory_bytes, 3 * kGiB);
}

TEST_F(MachineTest, TakesTheLeastAlongThePathOfVersionOneToo) {
  put("proc/self/cgroup", "5:cpu,cpuacct:/slice/job\n");
  put("sys/fs/cgroup/cpu,cpuacct/slice/job/cpu.cfs_quota_us", "-1\n");
  put("sys/fs/cgroup/cpu,cpuacct/slice/job/cpu.cfs_period_us", "100000\n");
  put("sys/fs/cgroup/cpu,cpuacct/slice/cpu.cfs_quota_us", "210000\n");
  put("sys/fs/cgroup/cpu,cpuacct/slice/cpu.cfs_period_us", "100000\n");
  put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "800000\n");
  put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(machine().cores, 3);
}

TEST_F(MachineTest, RoundsAnySmallQuotaUpToOneCore) {
  put("proc/self/cgroup", "0::/job\n");
  put("sys/fs/cgroup/job/cpu.max", "1000 100000\n");
  EXPECT_EQ(machine().cores, 1);
  put("sys/fs/cgroup/job/cpu.max", "100001 100000\n");
  EXPECT_EQ(machine().cores, 2);
}

TEST_F(MachineTest, IsNotLimitedByWhatIsNoQuota) {
  put("proc/self/cgroup", "0::/job\n");
  for (const char* text :
       {"", "\n", "two 100000\n", "100000\n", "100000 0\n", "-5 100000\n", "100000us 100000\n",
        "100000 -100000\n", "99999999999999999999 100000\n", "9223372036854775807 1\n", "\xff\xff"}) {
    put("sys/fs/cgroup/job/cpu.max", text);
    EXPECT_EQ(machine().cores, 9) << text;
  }
  for (const char* text : {"", "1GiB\n", "one\n", "99999999999999999999\n"}) {
    put("sys/fs/cgroup/job/memory.max", text);
    EXPECT_EQ(machine().memory_bytes, 16 * kGiB) << text;
  }
}

TEST_F(MachineTest, IsNotLimitedByGroupsThatAreNotThere) {
  for (const char* text :
       {"", "garbage", "0::", ":", "::\n0\n", "0::/../../escape\n", "5:cpu:/gone\n0::/gone\n"}) {
    put("proc/self/cgroup", text);
    EXPECT_EQ(machine().cores, 9) << text;
    EXPECT_EQ(machine().memory_bytes, 16 * kGiB) << text;
  }
}

TEST_F(MachineTest, LooksOnlyAtFilesThatAreWhole) {
  put("proc/self/cgroup", "5:cpu,cpuacct:/job\n");
  put("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "200000\n");  // and no period
  EXPECT_EQ(machine().cores, 9);
}

TEST_F(MachineTest, NeverHasMoreCoresThanAffinityGives) {
  put("proc/self/cgroup", "0::/job\n");
  put("sys/fs/cgroup/job/cpu.max", "6400000 100000\n");
  EXPECT_EQ(machine().cores, 9);
}

TEST_F(MachineTest, HasOneCoreWhenNothingCanBeRead) {
  fs::remove_all(root_ / "proc");
  EXPECT_EQ(machine().cores, 1);
}

TEST(ThisMachine, HasAsManyCoresAsTheSchedulerAllowsAtMost) {
  cpu_set_t set;
  ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  EXPECT_GE(this_machine().cores, 1);
  EXPECT_LE(this_machine().cores, CPU_COUNT(&set));
  EXPECT_GT(this_machine().memory_bytes, 0);
  EXPECT_LE(this_machine().memory_bytes, sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
}

}  // namespace
}  // namespace headrace
