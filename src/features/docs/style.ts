import { brandVariables } from '../../lib/base/brand.ts'

/** The page's whole style; the policy allows it by its hash. */
export const STYLE = `
${brandVariables('sans', 'mono', 'canvas', 'hover', 'line', 'line-strong', 'fg', 'muted', 'accent-text')}
:root{scroll-padding-top:5.5rem}
[hidden]{display:none!important}
*{box-sizing:border-box}
body{margin:0 auto;padding:0 1.25rem 5rem;max-width:72rem;font:1rem/1.55 var(--sans);
color:var(--fg);background:var(--canvas)}
main{min-width:0}
.logo{display:flex;align-items:center;gap:.5rem;margin:2rem 0 0;font-weight:600}
.logo svg{width:1.5rem;height:1.5rem}
h1{font-size:1.75rem;line-height:1.2;margin:2.25rem 0 .5rem}
h2{font-size:1.4rem;margin:4rem 0 1rem;padding-top:1.5rem;border-top:1px solid var(--line)}
main>h2:first-child,.toolbar~section:not([hidden]):not(section:not([hidden])~section)>h2{margin-top:0;padding-top:0;border:0}
h3{font-size:1.125rem;margin:1.75rem 0 .5rem}
section+section{margin-top:3.5rem}
h4{font-size:.95rem;margin:1.5rem 0 .25rem}
a{color:var(--accent-text);text-underline-offset:.15em}
a:focus-visible,[tabindex]:focus-visible,summary:focus-visible{outline:2px solid var(--accent-text);
outline-offset:2px}
p{margin:.5rem 0;max-width:44rem}
code,pre{font:.875em/1.5 var(--mono)}
code{background:var(--hover);padding:.1em .3em;border-radius:.25em;overflow-wrap:anywhere}
pre{background:var(--hover);padding:.75rem 1rem;border-radius:.5rem;overflow-x:auto;margin:.75rem 0}
pre code,.path code:first-child,dt code{background:none;padding:0}
pre code{overflow-wrap:normal}
.path{display:flex;flex-wrap:wrap;align-items:baseline;gap:0 .75rem}
.path .dim{white-space:nowrap}
dl{margin:.5rem 0}
dl div{display:grid;gap:.1rem 1.5rem;padding:.55rem 0;border-bottom:1px solid var(--line)}
dt{font-weight:500;overflow-wrap:anywhere}
dt .dim{font-weight:400;font-size:.875rem}
dd{margin:0;font-size:.9375rem}
dd a{display:inline-block;min-height:1.5rem}
dd:empty{display:none}
.dim{color:var(--muted)}
.verb{color:var(--accent-text);font-weight:700}
summary{cursor:pointer;margin:1rem 0;font-size:.95rem}
.toolbar{position:sticky;top:0;z-index:1;display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1.25rem;
padding:.6rem 0;margin:0 0 2rem;background:var(--canvas);border-bottom:1px solid var(--line);font-size:.9375rem}
.toolbar label{display:flex;align-items:center;gap:.6rem;min-height:1.5rem}
.toolbar>label{flex:1 1 14rem}
input[type=search]{flex:1;min-width:0;font:inherit;color:inherit;background:var(--hover);
border:1px solid var(--line-strong);border-radius:.4rem;padding:.3rem .6rem}
input[type=radio]{margin:0;accent-color:var(--accent-text)}
input:focus-visible{outline:2px solid var(--accent-text);outline-offset:2px}
output:empty{display:none}
output{color:var(--muted)}
fieldset{display:flex;flex-wrap:wrap;gap:.25rem 1rem;border:0;margin:0;padding:0}
legend{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden;white-space:nowrap}
.sample{display:none}
body:has(#in-curl:checked) .in-curl,body:has(#in-typescript:checked) .in-typescript,
body:has(#in-python:checked) .in-python{display:block}
nav summary{margin:0;padding:.2rem 0;font-weight:600}
nav details ul{padding-inline-start:1rem;margin-bottom:.75rem}
nav{padding:.75rem 0;margin:1.25rem 0;border:solid var(--line);border-width:1px 0;font-size:.9375rem}
nav ul{list-style:none;padding:0;margin:0}
nav li{padding:.2rem 0;break-inside:avoid;overflow-wrap:anywhere}
nav a{text-decoration:none}
nav a:hover{text-decoration:underline}
@media(max-width:44rem){:root{scroll-padding-top:6.75rem}nav{max-height:16.5rem;overflow-y:auto}}
nav .verb{font:600 .7rem var(--mono);color:var(--muted)}
@media(min-width:44rem){dl div{grid-template-columns:17rem 1fr}}
@media(min-width:64rem){
body{display:grid;grid-template-columns:15rem minmax(0,1fr);column-gap:3.5rem}
header,main{grid-column:2}
nav{grid-area:1/1/span 2;position:sticky;top:0;align-self:start;max-height:100vh;overflow-y:auto;
padding:2.25rem .5rem 2.25rem .25rem;border:0;margin:0}
}
@media print{nav,.toolbar{display:none}body{display:block}}
`
