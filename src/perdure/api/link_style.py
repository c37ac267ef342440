"""How the page of an approval link looks, on a phone and on a desk, in light and in dark; and what browsers let it do."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from typing import Final

CSS: Final = """
:root{color-scheme:light dark;--page:#f4f5f7;--card:#fff;--ink:#1b1f27;--soft:#5b6472;--line:#dfe3e9;--sunk:#f7f8fa;
--yes:#14753d;--no:#b3261e;--wait:#8a5a00;--focus:#2b62d9}
@media(prefers-color-scheme:dark){:root{--page:#101319;--card:#191d25;--ink:#e7eaf0;--soft:#9aa4b4;--line:#2e3440;--sunk:#12151b;
--yes:#3fb873;--no:#f2776c;--wait:#e0b050;--focus:#7ea6ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;
-webkit-text-size-adjust:100%}
main{max-width:40rem;margin:0 auto;padding:1.25rem 1rem 3rem}
section,header{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1.25rem;margin-top:1rem}
header{border-top:.25rem solid var(--tone,var(--focus))}
.yes{--tone:var(--yes)}.no{--tone:var(--no)}.wait{--tone:var(--wait)}
h1{font-size:1.4rem;line-height:1.25;margin:.15rem 0 0}
h2{font-size:.8rem;letter-spacing:.05em;text-transform:uppercase;color:var(--soft);margin:0 0 .75rem;font-weight:600}
p{margin:.6rem 0 0}header>:first-child{margin-top:0}.soft{color:var(--soft)}.small{font-size:.875rem}
h1,p,dt,dd,pre,li{overflow-wrap:anywhere;unicode-bidi:isolate}
.said{white-space:pre-wrap}
.mark{font-weight:600;color:var(--tone)}
dl{display:grid;grid-template-columns:fit-content(40%) 1fr;gap:.5rem 1rem;margin:0}
dt{color:var(--soft)}dd{margin:0;min-width:0;white-space:pre-wrap}
pre{margin:0;padding:.75rem;background:var(--sunk);border:1px solid var(--line);border-radius:.5rem;white-space:pre-wrap;
font:.85rem/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
ul{margin:0;padding:0;list-style:none}li+li{margin-top:.6rem}
label{display:block;font-weight:600;margin-bottom:.4rem}
textarea{display:block;width:100%;min-height:4.5rem;padding:.65rem;border:1px solid var(--line);border-radius:.5rem;
background:var(--sunk);color:inherit;font:inherit;resize:vertical}
textarea.code{min-height:12rem;font:.85rem/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
details{margin-top:1rem}summary{cursor:pointer;color:var(--soft)}details label{margin-top:.75rem}
.choices{display:flex;gap:.75rem;margin-top:1.25rem}
button{flex:1;min-height:3rem;padding:.6rem 1rem;border-radius:.5rem;border:1px solid var(--tone);background:transparent;
color:var(--tone);font:inherit;font-weight:600;cursor:pointer}
button.yes{background:var(--tone);color:var(--card)}
button:hover{filter:brightness(1.08)}
button:focus-visible,textarea:focus-visible,summary:focus-visible{outline:3px solid var(--focus);outline-offset:2px}
.wrong{color:var(--no);font-weight:600;margin:0 0 1rem}
@media(max-width:26rem){dl{grid-template-columns:1fr;gap:.1rem}dd{margin-bottom:.5rem}}
"""

_HASH: Final = b64encode(sha256(CSS.encode()).digest()).decode()
POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
"""Nothing is loaded, nothing runs, nobody frames it; the one form leads back here."""

HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow",
}
"""The address is a secret: it is not sent along, not kept, and not indexed."""
