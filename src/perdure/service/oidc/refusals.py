"""What keeps somebody from signing in by a provider.

PerdureError
├── SignInRefused    what came back proves nothing, or nobody here is meant by it
└── ProviderFailed   the provider could not be asked, or did not answer as OpenID Connect has it
"""

from __future__ import annotations

from perdure.errors import PerdureError


class SignInRefused(PerdureError, code="sign_in_refused"):
    """Whoever it is, they are not signed in. The message says why, without what was secret in it."""


class ProviderFailed(PerdureError, code="provider_failed"):
    """Nothing is known of who it is. It may go better later, or when the operator has mended it."""
