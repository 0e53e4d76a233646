#include "manifest/faults.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <tuple>

namespace opyard {
namespace {

constexpr std::size_t kMostFaults = 1000;

}  // namespace

bool Faults::full() const { return faults_.size() >= kMostFaults; }

void Faults::add(const ManifestError& fault) {
  if (full() || !texts_.insert(fault.what()).second) {
    return;
  }
  faults_.push_back(fault);
  if (faults_.size() + 1 == kMostFaults) {
    faults_.push_back(ManifestError(fault.facts().declared_at + ": there are more faults than are listed",
                                    {.declared_at = fault.facts().declared_at, .advice = "mend these first"}));
  }
}

void Faults::add_all(const Faults& others) {
  for (const ManifestError& fault : others.faults_) {
    add(fault);
  }
}

void Faults::throw_first() const {
  if (!faults_.empty()) {
    throw faults_.front();
  }
}

namespace {

/// Runs of white space become one space.
std::string collapsed(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  return result;
}

void add_fact(std::string& line, const char* label, const std::string& fact) {
  if (!fact.empty()) {
    line.append("; ").append(label).append(fact);
  }
}

}  // namespace

std::string summary_of(const ManifestError& fault) {
  const std::string text = fault.what();
  std::size_t end = text.size();
  for (const char* label : {"operator", "argument", "expected", "got", "declared at", "what to do"}) {
    end = std::min(end, text.find(std::string("\n  ") + label + ": "));
  }
  return text.substr(0, end);
}

std::string to_line(const ManifestError& fault) {
  const ErrorFacts& facts = fault.facts();
  std::string line = summary_of(fault);
  add_fact(line, "operator ", facts.op);
  add_fact(line, "expected ", facts.expected);
  add_fact(line, "got ", facts.got);
  add_fact(line, "", facts.advice);
  return collapsed(line);
}

namespace {

/// `file:line:column` taken apart; a part that is missing counts as 0.
std::tuple<std::string, int, int> place_of(const ManifestError& fault) {
  std::string file = fault.facts().declared_at;
  int parts[2] = {0, 0};
  for (int i = 1; i >= 0; --i) {
    const std::size_t colon = file.rfind(':');
    if (colon != std::string::npos) {
      parts[i] = std::atoi(file.c_str() + colon + 1);
      file.resize(colon);
    }
  }
  return {file, parts[0], parts[1]};
}

}  // namespace

std::vector<std::string> to_lines(const Faults& faults) {
  std::vector<ManifestError> sorted = faults.all();
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const ManifestError& a, const ManifestError& b) { return place_of(a) < place_of(b); });
  std::vector<std::string> lines;
  for (const ManifestError& fault : sorted) {
    lines.push_back(to_line(fault));
  }
  return lines;
}

}  // namespace opyard
