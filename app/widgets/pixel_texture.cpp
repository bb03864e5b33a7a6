#include "app/widgets/pixel_texture.h"

#include <imgui_internal.h>

#include <algorithm>

namespace dlscope::app {
namespace {

constexpr int kRounding = 128;  // dragging a panel wider does not need a new texture for every pixel

int rounded(int size) { return (std::max(size, 1) + kRounding - 1) / kRounding * kRounding; }

}  // namespace

PixelTexture::~PixelTexture() {
  if (ImGui::GetCurrentContext() == nullptr) return;
  if (texture_) ImGui::UnregisterUserTexture(texture_.get());
  for (const auto& texture : leaving_) ImGui::UnregisterUserTexture(texture.get());
}

void PixelTexture::release() {
  if (!texture_) return;
  texture_->WantDestroyNextFrame = true;
  leaving_.push_back(std::move(texture_));
}

void PixelTexture::drop_destroyed() {
  std::erase_if(leaving_, [](const std::unique_ptr<ImTextureData>& texture) {
    if (texture->Status != ImTextureStatus_Destroyed) return false;
    ImGui::UnregisterUserTexture(texture.get());
    return true;
  });
}

std::uint32_t* PixelTexture::begin(int width, int height) {
  drop_destroyed();
  if (!texture_ || texture_->Width < width || texture_->Height < height || texture_->Status == ImTextureStatus_Destroyed) {
    const int wide = rounded(std::max(width, texture_ ? texture_->Width : 0));
    const int high = rounded(std::max(height, texture_ ? texture_->Height : 0));
    release();
    texture_ = std::make_unique<ImTextureData>();
    texture_->Create(ImTextureFormat_RGBA32, wide, high);
    texture_->UseColors = true;
    texture_->SetStatus(ImTextureStatus_WantCreate);
    ImGui::RegisterUserTexture(texture_.get());
  }
  width_ = width;
  height_ = height;
  return static_cast<std::uint32_t*>(texture_->GetPixels()) + std::ptrdiff_t{height - 1} * texture_->Width;
}

std::ptrdiff_t PixelTexture::pitch() const { return -std::ptrdiff_t{texture_->Width}; }

std::uint32_t PixelTexture::pixel(int x, int y) const {
  return static_cast<const std::uint32_t*>(texture_->GetPixels())[std::ptrdiff_t{height_ - 1 - y} * texture_->Width + x];
}

std::size_t PixelTexture::bytes() const { return texture_ ? static_cast<std::size_t>(texture_->GetSizeInBytes()) : 0; }

void PixelTexture::changed() {
  texture_->UniqueID = ++number_;
  if (texture_->Status == ImTextureStatus_WantCreate) return;
  const ImTextureRect all{0, 0, static_cast<unsigned short>(width_), static_cast<unsigned short>(height_)};
  texture_->Updates.resize(0);
  texture_->Updates.push_back(all);
  texture_->UpdateRect = texture_->UsedRect = all;
  texture_->SetStatus(ImTextureStatus_WantUpdates);
}

void PixelTexture::draw(ImDrawList* list, ImVec2 at) {
  const ImVec2 to{at.x + static_cast<float>(width_), at.y + static_cast<float>(height_)};
  const ImVec2 part{static_cast<float>(width_) / static_cast<float>(texture_->Width),
                    static_cast<float>(height_) / static_cast<float>(texture_->Height)};
  list->AddImage(texture_->GetTexRef(), at, to, {0, part.y}, {part.x, 0});
}

}  // namespace dlscope::app
