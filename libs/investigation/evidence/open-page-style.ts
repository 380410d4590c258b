/** Of the page in an evidence pack, in the console's colours. */
export const STYLE = `
:root { color-scheme: light dark; --paper: light-dark(#fff, #0f1217); --sunken: light-dark(#f4f5f8, #1a1f27); --ink: light-dark(#14171c, #e8eaee); --ink-2: light-dark(#454c59, #b4bbc7); --line: light-dark(#e2e5ea, #2b323d); --edge: light-dark(#868f9e, #6c7686); --accent: light-dark(#2b54d9, #94aeff); --ok: light-dark(#0f6b3d, #74d6a0); --ok-soft: light-dark(#e1f4e9, #12301f); --bad: light-dark(#b3201f, #ff9d96); --bad-soft: light-dark(#fdebea, #3f1c1c); --warn: light-dark(#875000, #f0bb68); --warn-soft: light-dark(#fdf1da, #37280f); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 52rem; padding: 2.5rem 1.25rem 4rem; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif; overflow-wrap: anywhere; }
h1, h2, p, dl, dd, ol, table { margin: 0; }
h1 { font-size: 2.75rem; line-height: 1.1; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
h2 { font-size: 1.0625rem; margin-bottom: .5rem; }
header { border-bottom: 1px solid var(--line); padding-bottom: 1.5rem; }
section { padding: 1.5rem 0 0; }
p + p { margin-top: .375rem; }
a { color: var(--accent); }
a, button, input, summary { outline-offset: 2px; }
:focus-visible { outline: 2px solid var(--accent); }
code, pre, .timeline time { font-family: ui-monospace, 'Cascadia Mono', Menlo, Consolas, monospace; font-size: .8125rem; }
small, .note, .eyebrow { color: var(--ink-2); font-size: .8125rem; }
.note { margin-top: .375rem; }
.lead { font-size: 1.125rem; color: var(--ink-2); margin-top: .25rem; }
.verdict { display: inline-block; margin-top: 1rem; padding: .375rem .75rem; border-radius: .375rem; background: var(--warn-soft); color: var(--warn); font-size: .875rem; }
.verdict a { color: inherit; }
.verdict.held { background: var(--ok-soft); color: var(--ok); }
.verdict.wrong { background: var(--bad-soft); color: var(--bad); }
[hidden] { display: none !important; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .625rem 1.5rem; margin-top: .75rem; }
dt { color: var(--ink-2); font-size: .8125rem; } dd { font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; width: 100%; margin-top: .75rem; font-size: .875rem; }
th, td { text-align: start; vertical-align: top; padding: .375rem .5rem; border-bottom: 1px solid var(--line); font-weight: 400; }
thead th { color: var(--ink-2); font-size: .8125rem; border-color: var(--edge); vertical-align: bottom; }
th:first-child { padding-inline-start: 0; } td:last-child, th:last-child { padding-inline-end: 0; }
th small { display: block; }
.amount { text-align: end; white-space: nowrap; font-variant-numeric: tabular-nums; }
.match { text-align: center; } .match b { color: var(--ok); font-weight: 600; white-space: nowrap; } .match i { font-style: normal; } .earlier { overflow-wrap: normal; }
.field { margin-top: 1rem; } .field label { display: block; font-size: .875rem; font-weight: 600; margin-bottom: .25rem; }
input:not([type]), button { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--edge); border-radius: .375rem; padding: .5rem .625rem; }
input:not([type]) { width: 100%; font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .8125rem; }
input[type=file] { font: inherit; font-size: .875rem; max-width: 100%; min-height: 1.75rem; }
.drop { border: 1.5px dashed var(--edge); border-radius: .5rem; padding: 1rem; background: var(--sunken); }
.drop.over { border-color: var(--accent); }
#result { margin-top: 1rem; } #result ul { margin: .5rem 0 0; padding-inline-start: 1.25rem; font-size: .875rem; }
#result > div { padding: .75rem 1rem; border-radius: .5rem; } .held { background: var(--ok-soft); color: var(--ok); } .wrong { background: var(--bad-soft); color: var(--bad); } .unsure { background: var(--warn-soft); color: var(--warn); }
.bar { display: flex; gap: .5rem; align-items: center; margin-top: .5rem; } .bar input { flex: 1; min-width: 0; min-height: 2rem; accent-color: var(--accent); } .bar button { width: 2.5rem; padding: .25rem; }
#moment-words { margin-top: .5rem; } .state td, .state th { padding: .25rem .5rem; } .state tbody th { width: 45%; color: var(--ink-2); } .state mark { background: var(--warn-soft); color: var(--warn); border-radius: .2rem; padding: 0 .25rem; }
.timeline { list-style: none; padding: 0; } .timeline li { display: grid; grid-template-columns: 9rem 1fr; gap: .25rem 1rem; padding: .5rem 0; border-bottom: 1px solid var(--line); font-size: .9375rem; }
.timeline time { color: var(--ink-2); padding-top: .2rem; } .timeline time b { display: block; color: var(--ink); } .timeline div > * { display: block; } .timeline span { color: var(--ink-2); font-size: .875rem; }
.good strong { color: var(--ok); } .bad strong { color: var(--bad); } .waiting strong { color: var(--warn); }
details { border-bottom: 1px solid var(--line); } summary { padding: .5rem 0; cursor: pointer; font-size: .875rem; } pre { margin: 0 0 1rem; padding: .75rem; background: var(--sunken); border-radius: .375rem; white-space: pre-wrap; }
@media (max-width: 34rem) { body { padding-top: 1.5rem; } dl { grid-template-columns: repeat(2, minmax(0, 1fr)); column-gap: 1rem; } .timeline li { grid-template-columns: 1fr; } .timeline time b { display: inline; } .earlier { font-size: .8125rem; } .earlier th, .earlier td { padding-inline: .1875rem; } .earlier thead th { font-size: .6875rem; line-height: 1.25; } .match span { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; } }
@page { size: A4; margin: 14mm; }
@media print { :root { color-scheme: light; } body { max-width: none; padding: 0; font-size: 9.5pt; line-height: 1.4; } h1 { font-size: 22pt; } h2 { font-size: 11pt; margin-bottom: 2pt; break-after: avoid; } section { padding-top: 9pt; } header { padding-bottom: 6pt; } dl { gap: 3pt 14pt; margin-top: 4pt; grid-template-columns: repeat(3, 1fr); } dt, small, .note, .eyebrow, thead th { font-size: 8pt; } table, .timeline li { font-size: 8.5pt; } tr, li, dl div { break-inside: avoid; } td, th { padding: 2pt 4pt; } .timeline li { padding: 2pt 0; } .timeline span, .timeline time { font-size: 8pt; } #check-form, #moment, .verdict, details { display: none !important; } }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
`;
