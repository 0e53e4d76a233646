// Lets autograd record what a general implementation computes by aten.
#pragma once

namespace opyard {

/// While it lives, the aten calls of kernels on this thread are recorded, although they stand inside AtenOriginal.
class RecordedAten {
 public:
  RecordedAten();
  ~RecordedAten();
  RecordedAten(const RecordedAten&) = delete;
  RecordedAten& operator=(const RecordedAten&) = delete;
};

}  // namespace opyard
