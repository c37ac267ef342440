"""Sign-in by OpenID Connect: somebody else says who it is. Only `provider` and `tokens` need the extra `perdure[oidc]`."""
