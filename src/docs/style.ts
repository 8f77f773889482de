/** The page's whole style; the policy allows it by its hash. */
export const STYLE = `
:root{color-scheme:light dark;--text:light-dark(#1b1f24,#e4e7eb);--dim:light-dark(#57606a,#9aa4b0);
--back:light-dark(#fff,#0f1216);--box:light-dark(#f5f6f8,#181c22);--line:light-dark(#d9dde2,#2c333c);
--accent:light-dark(#0b57d0,#8ab4ff)}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.5rem 1rem 4rem;max-width:60rem;font:1rem/1.55 system-ui,sans-serif;
color:var(--text);background:var(--back)}
h1{font-size:1.8rem;line-height:1.2;margin:0 0 .5rem}
h2{font-size:1.35rem;margin:3rem 0 .75rem;padding-top:1rem;border-top:1px solid var(--line)}
h3{font-size:1.1rem;margin:2.5rem 0 .5rem}
h4{font-size:.95rem;margin:1.25rem 0 .4rem}
h3 code{background:none;padding:0;overflow-wrap:anywhere}
a{color:var(--accent);text-underline-offset:.15em}
a:focus-visible,[tabindex]:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
p{margin:.5rem 0;max-width:44rem}
code,pre{font:.875em/1.5 ui-monospace,monospace}
code{background:var(--box);padding:.1em .3em;border-radius:.25em;overflow-wrap:anywhere}
pre{background:var(--box);padding:.75rem 1rem;border-radius:.5rem;overflow-x:auto;margin:.5rem 0}
pre code{background:none;padding:0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.925rem;text-align:start}
th,td{padding:.4rem .75rem .4rem 0;border-bottom:1px solid var(--line);text-align:start;
vertical-align:top}
th{font-weight:600}
td[dir=rtl]{text-align:right}
.dim{color:var(--dim)}
.verb{color:var(--accent);font-weight:700}
nav ul{list-style:none;padding:0;margin:.5rem 0;columns:18rem}
nav li{margin:.2rem 0;break-inside:avoid}
`
