#include <call/all_inputs.h>
#include <call/measure.h>
#include <call/plan_call.h>
#include <opyard/error.h>
#include <run/launch.h>
#include <select/measured.h>
#include <select/select.h>

#include <algorithm>
#include <chrono>
#include <limits>

namespace opyard {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<const at::Tensor*> pointers(const Signature& signature, const CallInputs& call) {
  std::vector<const at::Tensor*> all(signature.inputs().size(), nullptr);
  for (std::size_t i = 0; i < call.size(); ++i)
    if (call.at(i).defined()) all.at(i) = &call[i];
  return all;
}

CallSpec checked(const Instance& instance, const CallInputs& call) {
  const InstanceSpec& spec = instance.spec();
  const auto inputs = pointers(spec.signature(), call);
  return spec_of(spec, spec.signature().check(spec.construction(), inputs.data()), inputs.data());
}

struct Contender {
  std::string key;
  std::shared_ptr<const Kernel> kernel;
  double best = std::numeric_limits<double>::infinity();  // seconds for all calls
};

// A lead smaller than this is noise: the declared preference then stands.
constexpr double kClearly = 0.95;

const Contender* preferred_of(const std::vector<Contender>& contenders, const Selection& selection) {
  for (const Contender& contender : contenders)
    if (selection.chosen != nullptr && contender.key == selection.chosen->declared.key) return &contender;
  return &contenders.front();
}

double run_all(const InstanceSpec& spec, const Contender& contender, const std::vector<CallInputs>& calls,
               const CallSpec& checked_call) {
  const auto start = Clock::now();
  for (const CallInputs& call : calls) {
    const auto inputs = pointers(spec.signature(), call);
    const c10::ArrayRef<TensorFacts> outputs = checked_call.outputs().facts();
    std::vector<at::Tensor> results(outputs.size());
    const AllInputs all(spec, inputs.data());
    KernelCall run(all.data(), results.data(), outputs.data(), checked_call.device);
    contender.kernel->forward(run);
  }
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

Measurement measure(Instance& instance, const std::vector<CallInputs>& calls, double budget_s,
                    const std::vector<std::string>& among) {
  InstanceSpec& spec = instance.spec();
  const std::string& op = spec.signature().op();
  if (calls.empty())
    throw SignatureError(SignatureError::Kind::kValue, "a measurement has no call to run",
                         {.op = op, .argument = "calls", .expected = "at least one call", .got = "none"});
  const CallSpec call = checked(instance, calls.front());
  if (const auto known = MeasuredChoices::process().find(call)) return {*known, {}};
  std::vector<Contender> contenders;
  const Selection selection = reason(spec.implementations(), call);
  for (const Candidate& candidate : selection.candidates) {
    const Implementation& declared = candidate.entry->declared;
    const bool asked = among.empty() || std::find(among.begin(), among.end(), declared.key) != among.end();
    if (candidate.refusal || !asked) continue;
    bool built_here = false;
    contenders.push_back({declared.key, spec.entries().get_or_build(declared, declared.entry_for(call), built_here)});
  }
  if (contenders.empty()) select(spec.implementations(), call);  // throws, with every refusal

  const auto start = Clock::now();
  const auto spent = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  // The first round warms up: pages, primitives and threads are made there. One measured round there always is.
  for (int round = 0; round < 2 || (spent() < budget_s && round < 50); ++round) {
    for (Contender& contender : contenders) {
      const double seconds = run_all(spec, contender, calls, call);
      if (round != 0 || contenders.size() == 1) contender.best = std::min(contender.best, seconds);
    }
    if (contenders.size() == 1) break;
  }

  Measurement measurement;
  const Contender* best = preferred_of(contenders, selection);
  const double to_beat = best->best * kClearly;
  for (const Contender& contender : contenders) {
    if (contender.best < std::min(to_beat, best->best)) best = &contender;
    measurement.microseconds.emplace_back(contender.key, contender.best * 1e6 / static_cast<double>(calls.size()));
  }
  measurement.chosen = best->key;
  MeasuredChoices::process().fix(call, best->key);
  spec.plans().clear();  // plans made before the measurement chose without it
  return measurement;
}

void fix_measured(Instance& instance, const CallInputs& call, const std::string& implementation) {
  InstanceSpec& spec = instance.spec();
  const std::string& op = spec.signature().op();
  const CallSpec checked_call = checked(instance, call);
  for (const Candidate& candidate : reason(spec.implementations(), checked_call).candidates) {
    if (candidate.entry->declared.key != implementation || candidate.refusal) continue;
    MeasuredChoices::process().fix(checked_call, implementation);
    spec.plans().clear();
    return;
  }
  throw OpNotAvailableError("a measured implementation does not serve this call",
                            {.op = op, .expected = "an implementation that serves it", .got = implementation});
}

}  // namespace opyard
