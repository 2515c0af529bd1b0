// SPDX-License-Identifier: Apache-2.0
//
// Numbers the cells of items: which field of a record lies in which cell, frame by frame, so that at run time
// nobody looks a field up by name. Each version of a field has a cell of its own; the one before is let go of
// as soon as its last reader has run. Pure; called by build.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/flow/join.h"
#include "runtime/flow/stage.h"
#include "runtime/graph/plan.h"

namespace headrace {

/// Cells of the items of one layout. A source, a reduce, a join and a merge begin a new one.
struct Region {
  std::uint32_t cells = 0;
  std::int32_t name_cell =
      -1;  ///< the path or key that names a record to people; kept to the end whoever reads it
};

/// A mask that the host gathers for a batch: true for each record that counts, or what the record's own mask
/// says where it is a batch.
struct MaskWiring {
  std::uint32_t cell = 0;  ///< of the batch
  std::int32_t from = -1;  ///< cell of the records, or -1
  const Field* spec = nullptr;
};

struct FrameLayout {
  std::size_t region = 0;
  std::map<std::string, std::uint32_t, std::less<>> cells;  ///< of the fields that go on from here
  FrameWiring wiring;                                       ///< but for its op
  std::vector<CellMap> maps;                                ///< join and merge: one an input
  std::vector<MaskWiring> masks;                            ///< reduce
  std::vector<std::size_t> inputs;                          ///< frame behind each `from`
  std::vector<std::size_t> readers;                         ///< frames, once for each edge
  std::vector<std::uint32_t> reader_ports;                  ///< which of the reader's inputs the edge is
};

struct Layout {
  std::vector<Region> regions;
  std::vector<FrameLayout> frames;
  std::vector<std::size_t> frame_of_node;
};

Layout lay_out(const Plan& plan);

}  // namespace headrace
