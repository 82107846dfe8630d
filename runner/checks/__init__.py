"""What ``vflops doctor`` looks at: one small function a check, each with a stable id and what to do."""
