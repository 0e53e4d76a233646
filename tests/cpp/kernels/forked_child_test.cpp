// A forked child whose parent used OpenMP: kernels run there, serially, instead of waiting for threads that are gone.
#include <kernels/kernel_case.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

namespace opyard::test {
namespace {

TEST(ForkedChild, RunsAKernelAfterTheParentUsedThreads) {
  const at::Tensor x = at::ones({2000, 576});
  const KernelCase row = {"RMSNormFwdOp",
                          {{"x", x}, {"weight", {}}},
                          {{"normalized_shape", Sequence{576}}, {"eps", 0.0}},
                          "output",
                          at::kFloat,
                          {2000, 576}};
  const Implementation vec = implementation("RMSNormFwdOp", "vec", processor_arch());
  ASSERT_TRUE(at::equal(run(vec, row, processor_arch()), x));
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // ends a child that waits for ever
    _exit(std::memcmp(run(vec, row, processor_arch()).const_data_ptr(), x.const_data_ptr(), x.nbytes()) == 0 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
}

}  // namespace
}  // namespace opyard::test
