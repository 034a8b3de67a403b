// SPDX-License-Identifier: Apache-2.0
// libparallelc-plugin.so: Parallel C inside Clang. Loaded twice by the same option list, as a front-end
// plugin (-fplugin: the forall pragma, the attributes, the rules) and as a pass plugin (-fpass-plugin:
// passes.h). Links no LLVM library; every symbol comes from the clang that loads it, which must have the
// major version it was built for.
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "taihu/compiler/forall_pragma.h"
#include "taihu/compiler/host_loops.h"
#include "taihu/compiler/passes.h"
#include "taihu/compiler/rules.h"

namespace taihu::compiler {

using namespace clang;

namespace {

/// Applies the rules to everything that has been parsed, before code is generated for it.
class RuleVisitor : public RecursiveASTVisitor<RuleVisitor> {
 public:
  RuleVisitor(ASTContext& context, PluginSettings settings)
      : context_(context), settings_(settings), variables_(context, settings) {}

  bool VisitVarDecl(VarDecl* variable) {
    variables_.declare(*variable);
    if (settings_.autonomic) check_autonomic(context_, *variable);
    return true;
  }

  bool VisitFunctionDecl(FunctionDecl* function) {
    if (function->doesThisDeclarationHaveABody() && !function->isInvalidDecl())
      check_foralls(context_, *function);
    if (settings_.autonomic) check_autonomic(context_, *function);
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr* use) {
    if (settings_.autonomic) check_autonomic_use(context_, *use);
    return true;
  }

  void finish() { variables_.check_capacity(); }

 private:
  ASTContext& context_;
  PluginSettings settings_;
  VariableRules variables_;
};

class RuleConsumer : public ASTConsumer {
 public:
  RuleConsumer(CompilerInstance& compiler, PluginSettings settings)
      : compiler_(compiler), settings_(settings) {}

  void Initialize(ASTContext& context) override {
    visitor_.emplace(context, settings_);
    add_forall_pragma(compiler_);
  }

  bool HandleTopLevelDecl(DeclGroupRef group) override {
    for (Decl* declaration : group) visitor_->TraverseDecl(declaration);
    return true;
  }

  void HandleTranslationUnit(ASTContext&) override { visitor_->finish(); }

 private:
  CompilerInstance& compiler_;
  PluginSettings settings_;
  std::optional<RuleVisitor> visitor_;
};

class ParallelC : public PluginASTAction {
 protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance& compiler, llvm::StringRef) override {
    return std::make_unique<RuleConsumer>(compiler, settings_);
  }

  bool ParseArgs(const CompilerInstance& compiler, const std::vector<std::string>& arguments) override {
    for (llvm::StringRef argument : arguments) {
      if (argument.consume_front("spm=") && !argument.getAsInteger(10, settings_.scratchpad_bytes)) continue;
      if (argument == "check") {
        settings_.check = true;
        continue;
      }
      if (argument.starts_with("version=")) continue;  // for parcc-link
      if (argument == "autonomic") {
        settings_.autonomic = true;
        continue;
      }
      DiagnosticsEngine& diagnostics = compiler.getDiagnostics();
      diagnostics.Report(diagnostics.getCustomDiagID(
          DiagnosticsEngine::Error,
          "parallelc: unknown argument '%0'; known are spm=BYTES, check, autonomic"))
          << argument;
      return false;
    }
    return true;
  }

  ActionType getActionType() override { return AddBeforeMainAction; }

 private:
  PluginSettings settings_;
};

const FrontendPluginRegistry::Add<ParallelC> add_parallelc("parallelc", "Parallel C");

}  // namespace

}  // namespace taihu::compiler

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "parallelc", "1", [](llvm::PassBuilder& builder) {
            builder.registerPipelineStartEPCallback(
                [](llvm::ModulePassManager& manager, llvm::OptimizationLevel) {
                  manager.addPass(taihu::compiler::CodeSectionPass());
                  manager.addPass(taihu::compiler::PlacementPass());
                  manager.addPass(llvm::createModuleToFunctionPassAdaptor(taihu::compiler::YieldPass()));
                });
            builder.registerOptimizerEarlyEPCallback(
                [](llvm::ModulePassManager& manager, llvm::OptimizationLevel) {
                  manager.addPass(taihu::compiler::LayoutPass());
                  manager.addPass(taihu::compiler::HostStripPass());
                  manager.addPass(taihu::compiler::HostLookUpPass());
                  manager.addPass(taihu::compiler::ScratchpadModelPass());
                });
            builder.registerOptimizerLastEPCallback(
                [](llvm::ModulePassManager& manager, llvm::OptimizationLevel level) {
                  manager.addPass(taihu::compiler::HostStorePass());
                  manager.addPass(taihu::compiler::CodeNamesPass(level != llvm::OptimizationLevel::O0));
                });
          }};
}
