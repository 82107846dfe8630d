"""The portal: takes bundles in, has them verified, publishes and ranks results."""
