import { PAGE_TOKENS } from "../../../schemas/look/page-tokens";

/**
 * The style sheet of every page: the design tokens of the shell, then the components. Hosted pages and the shell's sign-in
 * look the same: brand and language above, one column in the middle. All pages share one sheet, so its hash in the
 * Content-Security-Policy is the same everywhere.
 */
export const PAGE_STYLE = `${PAGE_TOKENS}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;background:var(--background);
color:var(--foreground);font:400 var(--text-lg)/1.5 var(--font-body);-webkit-text-size-adjust:100%;-webkit-font-smoothing:antialiased}
body>header{display:flex;flex:none;align-items:center;gap:var(--space-4);min-height:calc(var(--control) + 2*var(--space-4));
padding:var(--space-4) var(--space-5)}
.brand{display:flex;align-items:center;gap:var(--space-2);min-width:0;margin:0;font-size:var(--text-md);font-weight:600}
.brand span:last-child{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.mark{display:grid;flex:none;place-items:center;width:1.5rem;height:1.5rem;border-radius:var(--radius);background:var(--primary);
color:var(--primary-foreground);font-size:var(--text-xs)}
.language{display:flex;flex:none;align-items:center;gap:var(--space-2);min-height:var(--control);margin:0 calc(-1*var(--space-2)) 0 auto;
padding:0 var(--space-2);border-radius:var(--radius);font-size:var(--text-sm);color:var(--muted-foreground);text-decoration:none}
.language svg{width:16px;height:16px}.language:hover{background:var(--accent);color:var(--accent-foreground)}
main{width:min(var(--arrive-width),100% - 2*var(--space-4));margin:var(--arrive-top) auto 0;padding:0 0 var(--space-7);
overflow-wrap:anywhere}
h1{margin:0 0 var(--space-3);font-size:var(--text-2xl);font-weight:600;line-height:1.25;letter-spacing:-.01em;text-wrap:balance}
p{margin:0 0 var(--space-4)}main>:last-child,form>:last-child,.field>:last-child{margin-bottom:0}
main>p{text-wrap:pretty}
strong{font-weight:600}
form,h1+a.button{margin:var(--space-5) 0 0}
label{display:block;margin:0 0 6px;font-size:var(--text-sm);font-weight:500}
input{display:block;width:100%;min-height:var(--control-large);margin:0;padding:0 10px;
border:1px solid color-mix(in oklch,var(--border) 70%,var(--input));border-radius:var(--radius);background:var(--background);color:inherit;font:inherit}
input:hover{border-color:var(--input)}
input:focus-visible{border-color:var(--ring);outline-offset:-1px}
input::placeholder{color:var(--muted-foreground);opacity:1}
input[aria-invalid]{border-color:var(--destructive)}
.field{margin:0 0 var(--space-4)}
.help,.error{margin:6px 0 0;font-size:var(--text-sm)}.help{color:var(--muted-foreground)}.error{color:var(--destructive)}
.code{min-height:48px;font-family:var(--font-mono);font-size:var(--text-xl);letter-spacing:.15em;text-align:center;text-transform:uppercase}
button,a.button{display:flex;align-items:center;justify-content:center;width:100%;min-height:var(--control-large);margin:0 0 var(--space-3);padding:7px var(--space-4);
border:1px solid transparent;border-radius:var(--radius);background:var(--primary);color:var(--primary-foreground);font:inherit;
font-weight:500;line-height:24px;text-align:center;text-decoration:none;cursor:pointer}
button:hover,a.button:hover{background:color-mix(in oklch,var(--primary) 90%,var(--foreground))}
button.quiet,a.quiet{border-color:color-mix(in oklch,var(--border) 70%,var(--input));background:var(--card);color:inherit}
button.quiet:hover,a.quiet:hover{background:var(--accent);color:var(--accent-foreground)}
.ways{display:flex;flex-wrap:wrap;gap:var(--space-1) var(--space-4);margin:var(--space-4) 0}
main :is(a,button).way{display:inline-block;width:auto;min-height:24px;margin:0;padding:1px 0;border:0;border-radius:4px;background:none;
color:var(--muted-foreground);font-size:var(--text-md);font-weight:400;line-height:1.5;text-align:start;text-decoration:underline;
text-decoration-color:var(--input);text-underline-offset:3px}
main :is(a,button).way:not(:disabled):hover{color:var(--foreground)}
main button.way:disabled{cursor:default;text-decoration:none;font-variant-numeric:tabular-nums}
.note+.ways{margin-top:var(--space-4)}
main a:not(.button,.way){color:inherit;text-underline-offset:3px}
:focus-visible{outline:2px solid var(--ring);outline-offset:2px}
.or{display:flex;align-items:center;gap:var(--space-3);margin:var(--space-4) 0;font-size:var(--text-sm);color:var(--muted-foreground)}
.or::before,.or::after{content:"";flex:1;border-top:1px solid var(--border)}
.or+form{margin-top:0}
svg{flex:none;width:20px;height:20px;fill:none;stroke:currentColor;stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}
.state{display:grid;place-items:center;width:40px;height:40px;margin:0 0 var(--space-4);border:1px solid var(--border);
border-radius:var(--radius-card);color:var(--muted-foreground)}
.danger{color:var(--destructive)}.success{color:var(--success)}.warning{color:var(--warning)}
.banner,.error{display:flex;gap:var(--space-2);align-items:flex-start}.error svg{width:16px;height:16px;margin-top:2px}
.banner{margin:0 0 var(--space-4);padding:var(--space-3);border:1px solid color-mix(in srgb,currentColor 15%,transparent);
border-radius:var(--radius);font-size:var(--text-sm);background:var(--danger-quiet);color:inherit}
.banner svg{width:16px;height:16px;margin-top:2px;color:var(--destructive)}
.banner.warning{background:var(--warning-quiet)}.banner.warning svg{color:var(--warning)}
.banner.success{background:var(--success-quiet)}.banner.success svg{color:var(--success)}
dl{margin:0 0 var(--space-4);padding:var(--space-3) var(--space-4);border:1px solid var(--border);border-radius:var(--radius);
font-size:var(--text-md);display:grid;grid-template-columns:auto 1fr;gap:var(--space-1) var(--space-4)}
dt{color:var(--muted-foreground)}dd{margin:0}
.note{margin:var(--space-4) 0 0;font-size:var(--text-sm);color:var(--muted-foreground)}
.support{margin:var(--space-5) 0 0;color:var(--muted-foreground);font:var(--text-xs)/1.5 var(--font-mono)}
@media(pointer:coarse){main :is(a,button).way{min-height:44px;padding:11px 0}.ways{margin:var(--space-2) 0}}
@media(max-width:479.98px){body>header{padding:var(--space-4)}}`;
