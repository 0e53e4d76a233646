#include <override/raise.h>

#include <atomic>

namespace opyard {
namespace {

std::atomic<ErrorEdge> the_edge{nullptr};

}  // namespace

void set_error_edge(ErrorEdge edge) { the_edge.store(edge); }

ErrorEdge error_edge() { return the_edge.load(); }

}  // namespace opyard
