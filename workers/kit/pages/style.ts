/**
 * The style sheet of every page: first the tokens, then the components. All colours are neutral except
 * those of the accent and of states. All pages share one sheet, so its hash in the Content-Security-Policy is the same everywhere.
 */
export const PAGE_STYLE = `:root{color-scheme:light dark;--page:oklch(.975 .004 260);--panel:oklch(1 0 0);--line:oklch(.9 .008 260);
--edge:oklch(.62 .015 260);--muted:oklch(.48 .02 260);--text:oklch(.22 .02 260);--accent:oklch(.52 .17 262);
--pressed:oklch(.45 .17 262);--quiet:oklch(.955 .006 260);--focus:oklch(.52 .17 262);
--danger:oklch(.5 .18 27);--danger-quiet:oklch(.965 .02 27);--success:oklch(.48 .12 150);--success-quiet:oklch(.965 .025 150);
--warning:oklch(.5 .11 75);--warning-quiet:oklch(.97 .03 85)}
@media(prefers-color-scheme:dark){:root{--page:oklch(.16 .012 260);--panel:oklch(.205 .013 260);--line:oklch(.31 .015 260);
--edge:oklch(.56 .02 260);--muted:oklch(.73 .015 260);--text:oklch(.95 .005 260);--accent:oklch(.565 .17 262);
--pressed:oklch(.52 .17 262);--quiet:oklch(.26 .014 260);--focus:oklch(.76 .12 262);
--danger:oklch(.76 .13 27);--danger-quiet:oklch(.27 .05 27);--success:oklch(.78 .14 150);--success-quiet:oklch(.27 .04 150);
--warning:oklch(.82 .12 75);--warning-quiet:oklch(.28 .04 75)}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;min-height:100dvh;display:grid;place-items:center;background:var(--page);color:var(--text);
font:400 16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;-webkit-text-size-adjust:100%}
main{width:min(26rem,100% - 32px);margin:24px 0;padding:32px;background:var(--panel);border:1px solid var(--line);border-radius:10px;
overflow-wrap:anywhere}
h1{margin:0 0 12px;font-size:20px;font-weight:600;line-height:1.25;text-wrap:balance}
p{margin:0 0 16px}main>:last-child,form>:last-child,.field>:last-child{margin-bottom:0}
.brand{margin:0 0 16px;font-size:14px;font-weight:600;color:var(--muted)}
strong{font-weight:600}
form,h1+a.button{margin:24px 0 0}
label{display:block;margin:0 0 4px;font-size:14px;font-weight:500}
input{display:block;width:100%;min-height:40px;margin:0;padding:8px 12px;border:1px solid var(--edge);border-radius:6px;
background:var(--panel);color:inherit;font:inherit}
input[aria-invalid]{border-color:var(--danger)}
.field{margin:0 0 16px}
.help,.error{margin:4px 0 0;font-size:14px}.help{color:var(--muted)}.error{color:var(--danger)}
.code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:20px;letter-spacing:.1em;text-transform:uppercase}
button,a.button{display:block;width:100%;min-height:40px;margin:0 0 12px;padding:7px 16px;border:1px solid transparent;border-radius:6px;
background:var(--accent);color:#fff;font:inherit;font-weight:500;line-height:24px;text-align:center;text-decoration:none;cursor:pointer}
button:hover,a.button:hover{background:var(--pressed)}
button.quiet,a.quiet{background:transparent;border-color:var(--edge);color:var(--text)}
button.quiet:hover,a.quiet:hover{background:var(--quiet)}
button:disabled{cursor:default;color:var(--muted);border-color:var(--line);background:transparent;font-variant-numeric:tabular-nums}
main a:not(.button){color:inherit;text-underline-offset:3px}
a.way{display:inline-block;padding:4px 0;font-size:14px}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
.or{display:flex;align-items:center;gap:12px;margin:16px 0;font-size:14px;color:var(--muted)}
.or::before,.or::after{content:"";flex:1;border-top:1px solid var(--line)}
.or+form{margin-top:0}
svg{flex:none;width:20px;height:20px;fill:none;stroke:currentColor;stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}
.state{margin:0 0 12px;line-height:0}.danger{color:var(--danger)}.success{color:var(--success)}.warning{color:var(--warning)}
.banner,.error{display:flex;gap:8px;align-items:flex-start}.error svg{width:16px;height:16px;margin-top:2px}
.banner{margin:0 0 16px;padding:12px;border-radius:6px;font-size:14px;background:var(--danger-quiet)}
.banner svg{color:var(--danger)}.banner.warning{background:var(--warning-quiet);color:inherit}.banner.warning svg{color:var(--warning)}
.banner.success{background:var(--success-quiet);color:inherit}.banner.success svg{color:var(--success)}
dl{margin:0 0 16px;padding:12px 16px;border:1px solid var(--line);border-radius:6px;font-size:14px;
display:grid;grid-template-columns:auto 1fr;gap:4px 16px}dt{color:var(--muted)}dd{margin:0}
.note{margin:16px 0;font-size:14px;color:var(--muted)}
.support{margin:24px 0 0;padding:12px 0 0;border-top:1px solid var(--line);color:var(--muted);
font:12px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
@media(max-width:480px),(pointer:coarse){button,a.button,input{min-height:44px}button,a.button{padding:9px 16px}a.way{padding:10px 0}}
@media(max-width:480px){body{place-items:start center;background:var(--panel)}
main{width:100%;margin:0;padding:32px 16px;border:0;border-radius:0}}`;
