import { lookOf } from '../../lib/base/look.ts'

/** The page's whole style; the policy allows it by its hash. */
export const STYLE = `
${lookOf('sans', 'mono', 'canvas', 'hover', 'line', 'fg', 'muted', 'accent-text')}
:root{scroll-padding-top:1rem}
*{box-sizing:border-box}
body{margin:0 auto;padding:0 1.25rem 5rem;max-width:72rem;font:1rem/1.55 var(--sans);
color:var(--fg);background:var(--canvas)}
main{min-width:0}
.logo{display:flex;align-items:center;gap:.5rem;margin:2rem 0 0;font-weight:600}
.logo svg{width:1.5rem;height:1.5rem}
h1{font-size:1.75rem;line-height:1.2;margin:2.25rem 0 .5rem}
h2{font-size:1.4rem;margin:4rem 0 1rem;padding-top:1.5rem;border-top:1px solid var(--line)}
main>h2:first-child{margin-top:0;padding-top:0;border:0}
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
.path .dim{margin-inline-start:.75rem;white-space:nowrap}
dl{margin:.5rem 0}
dl div{display:grid;gap:.1rem 1.5rem;padding:.55rem 0;border-bottom:1px solid var(--line)}
dt{font-weight:500;overflow-wrap:anywhere}
dt .dim{font-weight:400;font-size:.875rem}
dd{margin:0;font-size:.9375rem}
dd:empty{display:none}
.dim{color:var(--muted)}
.verb{color:var(--accent-text);font-weight:700}
summary{cursor:pointer;margin:1rem 0;font-size:.95rem}
nav{padding:.75rem 0;margin:1.25rem 0;border:solid var(--line);border-width:1px 0;font-size:.9375rem}
nav ul{list-style:none;padding:0;margin:0;columns:2 11rem}
nav li{padding:.2rem 0;break-inside:avoid}
nav a{text-decoration:none}
nav a:hover{text-decoration:underline}
@media(max-width:44rem){nav{max-height:16.5rem;overflow-y:auto}}
nav .verb{font:600 .7rem var(--mono);color:var(--muted)}
@media(min-width:44rem){dl div{grid-template-columns:17rem 1fr}}
@media(min-width:64rem){
body{display:grid;grid-template-columns:13rem minmax(0,1fr);column-gap:3.5rem}
header,main{grid-column:2}
nav{grid-area:1/1/span 2;position:sticky;top:0;align-self:start;max-height:100vh;overflow-y:auto;
padding:2.25rem 0;border:0;margin:0}
nav ul{columns:1}
}
@media print{nav{display:none}body{display:block}}
`
