"""VecMap (Artetxe et al. 2018): supervised, semi-supervised and unsupervised."""
