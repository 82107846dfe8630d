"""Image classification with ResNet v1.5 at three scales."""
