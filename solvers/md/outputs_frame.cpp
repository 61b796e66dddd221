#include "solvers/md/outputs_frame.hpp"

namespace halyard::md {

ParticleFrame AtomBlock::frame(std::int64_t step, double time) const {
  ParticleFrame frame;
  frame.step = step;
  frame.time = time;
  frame.box = box;
  frame.count = count;
  frame.begin = begin;
  frame.end = end;
  frame.id = id;
  frame.type = type;
  frame.position = position;
  frame.image = image;
  frame.velocity = velocity;
  frame.force = force;
  return frame;
}

AtomBlock gather_atoms(const Dynamics& dynamics, const IdBlocks& blocks, bool forces) {
  AtomBlock block;
  block.box = dynamics.box();
  block.count = blocks.count();
  block.begin = blocks.begin();
  block.end = blocks.end();
  const auto n = static_cast<std::size_t>(block.end - block.begin);
  block.id.resize(n);
  block.type.resize(n);
  block.position.resize(3 * n);
  block.image.resize(3 * n);
  block.velocity.resize(3 * n);
  for (AtomRecord& record : blocks.to_blocks(dynamics.domain().records(dynamics.atoms()))) {
    wrap(block.box, record);
    const auto at = static_cast<std::size_t>(record.id - block.begin);
    block.id[at] = dynamics.system().user_id(record.id);
    block.type[at] = record.type;
    for (std::size_t d = 0; d < 3; ++d) {
      block.position[3 * at + d] = record.x[d];
      block.image[3 * at + d] = record.image[d];
      block.velocity[3 * at + d] = record.v[d];
    }
  }
  if (forces) {
    block.force.resize(3 * n);
    const auto& force = dynamics.atoms().force;
    blocks.collect<double, std::int64_t>(dynamics.atoms(), {force[0].data(), force[1].data(), force[2].data()},
                                         block.force);
    for (double& component : block.force) {
      component *= force_unit;
    }
  }
  return block;
}

}  // namespace halyard::md
