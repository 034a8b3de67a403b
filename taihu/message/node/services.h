// SPDX-License-Identifier: Apache-2.0
// The handlers of services of a node process, and the calls that arrived before their handler was registered.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "taihu/message/endpoint.h"

namespace taihu::message {

/// Any thread may call; handlers run outside the lock.
class Services {
 public:
  void serve(Service service, ServiceHandler handler) {
    std::vector<std::shared_ptr<ServiceCall>> early;
    std::shared_ptr<const ServiceHandler> kept = std::make_shared<ServiceHandler>(std::move(handler));
    {
      std::lock_guard hold(lock_);
      handlers_[service] = kept;
      early.swap(early_[service]);
    }
    for (auto& call : early) (*kept)(std::move(call));
  }

  void dispatch(Service service, std::shared_ptr<ServiceCall> call) {
    std::shared_ptr<const ServiceHandler> handler;
    {
      std::lock_guard hold(lock_);
      const auto found = handlers_.find(service);
      if (found == handlers_.end()) {
        early_[service].push_back(std::move(call));
        return;
      }
      handler = found->second;
    }
    (*handler)(std::move(call));
  }

 private:
  std::mutex lock_;
  std::map<Service, std::shared_ptr<const ServiceHandler>> handlers_;
  std::map<Service, std::vector<std::shared_ptr<ServiceCall>>> early_;
};

}  // namespace taihu::message
