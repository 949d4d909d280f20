"""Line-parallel files that have slipped: which lines of one file belong to other lines."""
