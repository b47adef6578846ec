-- Made by scripts/compose-library.ts from workers/email/library and the catalog. Do not edit.
DELETE FROM library_templates WHERE built_in = 1 AND key NOT IN ('barebone.activation', 'barebone.text-only', 'barebone.welcome');
--> statement-breakpoint
INSERT INTO library_templates (key, set_key, name, company_id, built_in, subject, preheader, document, head, html, text, created_at, updated_at)
VALUES ('barebone.activation', 'barebone', 'Activation', NULL, 1, 'Confirm your address for {{ company_name|default:"your account" }}', 'One step is left, and it takes a single press of a button.', '{"type":"doc","content":[{"type":"container","content":[{"type":"section","attrs":{"class":"header"},"content":[{"type":"paragraph","attrs":{"class":"brand","when":"company_name"},"content":[{"type":"text","text":"{{ company_name }}"}]}]},{"type":"section","attrs":{"class":"panel"},"content":[{"type":"heading","attrs":{"level":1,"textId":"heading"},"content":[{"type":"text","text":"Confirm your address"}]},{"type":"paragraph","attrs":{"textId":"lead"},"content":[{"type":"text","text":"Press the button to confirm that this address is yours."}]},{"type":"button","attrs":{"href":"{{ action_url }}","textId":"button"},"content":[{"type":"text","text":"Confirm"}]},{"type":"paragraph","attrs":{"class":"muted html-only","textId":"address-label"},"content":[{"type":"text","text":"If the button does not work, copy this address into your browser:"}]},{"type":"paragraph","attrs":{"class":"address html-only","textId":"address"},"content":[{"type":"text","text":"{{ action_url }}","marks":[{"type":"link","attrs":{"href":"{{ action_url }}"}}]}]},{"type":"paragraph","attrs":{"class":"muted","textId":"aside"},"content":[{"type":"text","text":"If you did not ask for this email, ignore it. Nothing happens without you."}]}]},{"type":"section","attrs":{"class":"footer"},"content":[{"type":"paragraph","attrs":{"class":"muted","textId":"sender","when":"company_name"},"content":[{"type":"text","text":"Sent by {{ company_name }}"}]},{"type":"paragraph","attrs":{"class":"muted","textId":"unsubscribe","when":"system.unsubscribe_url"},"content":[{"type":"text","text":"Stop these emails","marks":[{"type":"link","attrs":{"href":"{{ system.unsubscribe_url }}"}}]}]}]}]}]}', ':root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Confirm your address for {{ company_name|default:&quot;your account&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">One step is left, and it takes a single press of a button.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Confirm your address</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Press the button to confirm that this address is yours.</p><!--{#linked {{ action_url }}#}--><table role="presentation" border="0" cellpadding="0" cellspacing="0" class="button-table" style="margin:0 0 20px"><tr><td align="center" bgcolor="#1c1c1e" class="button" style="border-radius:8px;background-color:#1c1c1e;mso-padding-alt:13px 26px"><a href="{{ action_url }}" class="button-label" style="display:inline-block;padding:13px 26px;border-radius:8px;mso-padding-alt:0;color:#ffffff;font-size:16px;line-height:24px;font-weight:600;text-decoration:none">Confirm</a></td></tr></table><!--{#end#}--><p class="text muted html-only" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">If the button does not work, copy this address into your browser:</p><p class="text address html-only" style="color:#1c1c1e;overflow-wrap:break-word;margin:0 0 20px;font-size:14px;line-height:20px;word-break:break-all"><a href="{{ action_url }}" class="link" style="color:#0b57d0;text-decoration:underline">{{ action_url }}</a></p><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">If you did not ask for this email, ignore it. Nothing happens without you.</p></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Confirm your address

Press the button to confirm that this address is yours.

linked {{ action_url }}Confirm: {{ action_url }}end

If you did not ask for this email, ignore it. Nothing happens without you.

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, unixepoch() * 1000)
ON CONFLICT (key) DO UPDATE SET set_key = excluded.set_key, name = excluded.name, subject = excluded.subject, preheader = excluded.preheader, document = excluded.document, head = excluded.head, html = excluded.html, text = excluded.text, updated_at = excluded.updated_at;
--> statement-breakpoint
INSERT INTO library_templates (key, set_key, name, company_id, built_in, subject, preheader, document, head, html, text, created_at, updated_at)
VALUES ('barebone.text-only', 'barebone', 'Text only', NULL, 1, 'News from {{ company_name|default:"your team" }}', 'A short message with everything that you need to know.', '{"type":"doc","content":[{"type":"container","content":[{"type":"section","attrs":{"class":"header"},"content":[{"type":"paragraph","attrs":{"class":"brand","when":"company_name"},"content":[{"type":"text","text":"{{ company_name }}"}]}]},{"type":"section","attrs":{"class":"panel"},"content":[{"type":"heading","attrs":{"level":1,"textId":"heading"},"content":[{"type":"text","text":"News from {{ company_name|default:\"your team\" }}"}]},{"type":"paragraph","attrs":{"textId":"lead"},"content":[{"type":"text","text":"Write here what has happened, and what the reader can do about it."}]}]},{"type":"section","attrs":{"class":"footer"},"content":[{"type":"paragraph","attrs":{"class":"muted","textId":"sender","when":"company_name"},"content":[{"type":"text","text":"Sent by {{ company_name }}"}]},{"type":"paragraph","attrs":{"class":"muted","textId":"unsubscribe","when":"system.unsubscribe_url"},"content":[{"type":"text","text":"Stop these emails","marks":[{"type":"link","attrs":{"href":"{{ system.unsubscribe_url }}"}}]}]}]}]}]}', ':root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>News from {{ company_name|default:&quot;your team&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">A short message with everything that you need to know.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">News from {{ company_name|default:&quot;your team&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Write here what has happened, and what the reader can do about it.</p></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

News from {{ company_name|default:"your team" }}

Write here what has happened, and what the reader can do about it.

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, unixepoch() * 1000)
ON CONFLICT (key) DO UPDATE SET set_key = excluded.set_key, name = excluded.name, subject = excluded.subject, preheader = excluded.preheader, document = excluded.document, head = excluded.head, html = excluded.html, text = excluded.text, updated_at = excluded.updated_at;
--> statement-breakpoint
INSERT INTO library_templates (key, set_key, name, company_id, built_in, subject, preheader, document, head, html, text, created_at, updated_at)
VALUES ('barebone.welcome', 'barebone', 'Welcome', NULL, 1, 'Welcome to {{ company_name|default:"the team" }}', 'Your place is ready, and one press of a button takes you there.', '{"type":"doc","content":[{"type":"container","content":[{"type":"section","attrs":{"class":"header"},"content":[{"type":"paragraph","attrs":{"class":"brand","when":"company_name"},"content":[{"type":"text","text":"{{ company_name }}"}]}]},{"type":"section","attrs":{"class":"panel"},"content":[{"type":"heading","attrs":{"level":1,"textId":"heading"},"content":[{"type":"text","text":"Welcome to {{ company_name|default:\"the team\" }}"}]},{"type":"paragraph","attrs":{"textId":"lead"},"content":[{"type":"text","text":"It is good to have you here. Everything is ready for your first visit."}]},{"type":"button","attrs":{"href":"{{ action_url }}","textId":"button"},"content":[{"type":"text","text":"Get started"}]},{"type":"paragraph","attrs":{"class":"muted html-only","textId":"address-label"},"content":[{"type":"text","text":"If the button does not work, copy this address into your browser:"}]},{"type":"paragraph","attrs":{"class":"address html-only","textId":"address"},"content":[{"type":"text","text":"{{ action_url }}","marks":[{"type":"link","attrs":{"href":"{{ action_url }}"}}]}]},{"type":"paragraph","attrs":{"class":"muted","textId":"aside"},"content":[{"type":"text","text":"If you did not expect this email, you can ignore it."}]}]},{"type":"section","attrs":{"class":"footer"},"content":[{"type":"paragraph","attrs":{"class":"muted","textId":"sender","when":"company_name"},"content":[{"type":"text","text":"Sent by {{ company_name }}"}]},{"type":"paragraph","attrs":{"class":"muted","textId":"unsubscribe","when":"system.unsubscribe_url"},"content":[{"type":"text","text":"Stop these emails","marks":[{"type":"link","attrs":{"href":"{{ system.unsubscribe_url }}"}}]}]}]}]}]}', ':root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Welcome to {{ company_name|default:&quot;the team&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Your place is ready, and one press of a button takes you there.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Welcome to {{ company_name|default:&quot;the team&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">It is good to have you here. Everything is ready for your first visit.</p><!--{#linked {{ action_url }}#}--><table role="presentation" border="0" cellpadding="0" cellspacing="0" class="button-table" style="margin:0 0 20px"><tr><td align="center" bgcolor="#1c1c1e" class="button" style="border-radius:8px;background-color:#1c1c1e;mso-padding-alt:13px 26px"><a href="{{ action_url }}" class="button-label" style="display:inline-block;padding:13px 26px;border-radius:8px;mso-padding-alt:0;color:#ffffff;font-size:16px;line-height:24px;font-weight:600;text-decoration:none">Get started</a></td></tr></table><!--{#end#}--><p class="text muted html-only" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">If the button does not work, copy this address into your browser:</p><p class="text address html-only" style="color:#1c1c1e;overflow-wrap:break-word;margin:0 0 20px;font-size:14px;line-height:20px;word-break:break-all"><a href="{{ action_url }}" class="link" style="color:#0b57d0;text-decoration:underline">{{ action_url }}</a></p><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">If you did not expect this email, you can ignore it.</p></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Welcome to {{ company_name|default:"the team" }}

It is good to have you here. Everything is ready for your first visit.

linked {{ action_url }}Get started: {{ action_url }}end

If you did not expect this email, you can ignore it.

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, unixepoch() * 1000)
ON CONFLICT (key) DO UPDATE SET set_key = excluded.set_key, name = excluded.name, subject = excluded.subject, preheader = excluded.preheader, document = excluded.document, head = excluded.head, html = excluded.html, text = excluded.text, updated_at = excluded.updated_at;
--> statement-breakpoint
UPDATE default_contents SET current = 0;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('3cb83d4f2137c102ac5f9f13432154acdb19c1549fad7d44057af3599fbdaec9', 'hosting.app.created', 'en', 'You can now deploy {{ display_name|default:"your app" }}', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>You can now deploy {{ display_name|default:&quot;your app&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Send a first version whenever you are ready, and it will get its own address.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">You can now deploy {{ display_name|default:&quot;your app&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Send a first version whenever you are ready, and it will get its own address.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when display_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">App: {{ display_name }}</p><!--{#end#}--><!--{#when name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Short name: {{ name }}</p><!--{#end#}--><!--{#when slug#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Identifier: {{ slug }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

You can now deploy {{ display_name|default:"your app" }}

Send a first version whenever you are ready, and it will get its own address.

when company_nameCompany: {{ company_name }}endwhen display_name
App: {{ display_name }}endwhen name
Short name: {{ name }}endwhen slug
Identifier: {{ slug }}end

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('4e3c32cdb4e7b7eb14d29a395d82b7908700f24c4bb16e51cfc81247fd18e336', 'hosting.app.created', 'fr', 'Vous pouvez déployer {{ display_name|default:"votre application" }}', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Vous pouvez déployer {{ display_name|default:&quot;votre application&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Envoyez une première version quand vous voulez, elle recevra sa propre adresse.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Vous pouvez déployer {{ display_name|default:&quot;votre application&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Envoyez une première version quand vous voulez, elle recevra sa propre adresse.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when display_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Application : {{ display_name }}</p><!--{#end#}--><!--{#when name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Nom court : {{ name }}</p><!--{#end#}--><!--{#when slug#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Identifiant : {{ slug }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Ne plus recevoir ces e-mails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Vous pouvez déployer {{ display_name|default:"votre application" }}

Envoyez une première version quand vous voulez, elle recevra sa propre adresse.

when company_nameEntreprise : {{ company_name }}endwhen display_name
Application : {{ display_name }}endwhen name
Nom court : {{ name }}endwhen slug
Identifiant : {{ slug }}end

when company_nameEnvoyé par {{ company_name }}endwhen system.unsubscribe_url

Ne plus recevoir ces e-mailslinked {{ system.unsubscribe_url }} : {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('7391a2a780ba418c6a60114f92c85857b39b200d08aaa6ce931e7209de25e2b0', 'hosting.app.deleted', 'en', '{{ display_name|default:"Your app" }} was removed', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>{{ display_name|default:&quot;Your app&quot; }} was removed</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Its address no longer answers, and you can create a new app at any time.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">{{ display_name|default:&quot;Your app&quot; }} was removed</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Its address no longer answers, and you can create a new app at any time.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when display_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">App: {{ display_name }}</p><!--{#end#}--><!--{#when name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Short name: {{ name }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

{{ display_name|default:"Your app" }} was removed

Its address no longer answers, and you can create a new app at any time.

when company_nameCompany: {{ company_name }}endwhen display_name
App: {{ display_name }}endwhen name
Short name: {{ name }}end

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('67f0e75181c56dcbe388d513fc0e2609a9946669d56cb10b522a0fb713271c3b', 'hosting.app.deleted', 'fr', 'L’application {{ display_name|default:"hébergée" }} a été supprimée', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>L’application {{ display_name|default:&quot;hébergée&quot; }} a été supprimée</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Son adresse ne répond plus, et vous pouvez créer une autre application à tout moment.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">L’application {{ display_name|default:&quot;hébergée&quot; }} a été supprimée</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Son adresse ne répond plus, et vous pouvez créer une autre application à tout moment.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when display_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Application : {{ display_name }}</p><!--{#end#}--><!--{#when name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Nom court : {{ name }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Ne plus recevoir ces e-mails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

L’application {{ display_name|default:"hébergée" }} a été supprimée

Son adresse ne répond plus, et vous pouvez créer une autre application à tout moment.

when company_nameEntreprise : {{ company_name }}endwhen display_name
Application : {{ display_name }}endwhen name
Nom court : {{ name }}end

when company_nameEnvoyé par {{ company_name }}endwhen system.unsubscribe_url

Ne plus recevoir ces e-mailslinked {{ system.unsubscribe_url }} : {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('1fec0495422014bc49d6ec732b57c54b6fe7677b0d9b38b60e6d511211abfaf8', 'hosting.deployment.created', 'en', 'Deployment of {{ display_name|default:"your app" }} has started', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Deployment of {{ display_name|default:&quot;your app&quot; }} has started</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">You can follow its progress in the deployments of the app.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Deployment of {{ display_name|default:&quot;your app&quot; }} has started</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">You can follow its progress in the deployments of the app.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when display_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">App: {{ display_name }}</p><!--{#end#}--><!--{#when app_version#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Version: {{ app_version }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Deployment of {{ display_name|default:"your app" }} has started

You can follow its progress in the deployments of the app.

when company_nameCompany: {{ company_name }}endwhen display_name
App: {{ display_name }}endwhen app_version
Version: {{ app_version }}end

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('cd4ea70788b9a176775f2adac9a2b1c06f0a676d15b6659a9ec4246fef0bcaac', 'hosting.deployment.created', 'fr', 'Le déploiement de {{ display_name|default:"votre application" }} a commencé', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Le déploiement de {{ display_name|default:&quot;votre application&quot; }} a commencé</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Vous pouvez suivre son avancement dans les déploiements de l’application.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Le déploiement de {{ display_name|default:&quot;votre application&quot; }} a commencé</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Vous pouvez suivre son avancement dans les déploiements de l’application.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when display_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Application : {{ display_name }}</p><!--{#end#}--><!--{#when app_version#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Version : {{ app_version }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Ne plus recevoir ces e-mails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Le déploiement de {{ display_name|default:"votre application" }} a commencé

Vous pouvez suivre son avancement dans les déploiements de l’application.

when company_nameEntreprise : {{ company_name }}endwhen display_name
Application : {{ display_name }}endwhen app_version
Version : {{ app_version }}end

when company_nameEnvoyé par {{ company_name }}endwhen system.unsubscribe_url

Ne plus recevoir ces e-mailslinked {{ system.unsubscribe_url }} : {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('4b3e1ea4e769a62c9d8f24c4e9646113e0ad9c22361780c18d0b51238f726e61', 'hosting.deployment.failed', 'en', 'Deployment of {{ display_name|default:"your app" }} did not succeed', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Deployment of {{ display_name|default:&quot;your app&quot; }} did not succeed</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Read the error in the deployments of the app, correct it and deploy again.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Deployment of {{ display_name|default:&quot;your app&quot; }} did not succeed</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Read the error in the deployments of the app, correct it and deploy again.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when display_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">App: {{ display_name }}</p><!--{#end#}--><!--{#when app_version#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Version: {{ app_version }}</p><!--{#end#}--><!--{#when error#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Error: {{ error }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Deployment of {{ display_name|default:"your app" }} did not succeed

Read the error in the deployments of the app, correct it and deploy again.

when company_nameCompany: {{ company_name }}endwhen display_name
App: {{ display_name }}endwhen app_version
Version: {{ app_version }}endwhen error
Error: {{ error }}end

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('d70191fed08931f56809aca4699dfc8e49f499c8f15d11c69c8ed96e5b03c3c3', 'hosting.deployment.failed', 'fr', 'Le déploiement de {{ display_name|default:"votre application" }} n’a pas abouti', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Le déploiement de {{ display_name|default:&quot;votre application&quot; }} n’a pas abouti</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Lisez l’erreur dans les déploiements de l’application, corrigez-la puis recommencez.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Le déploiement de {{ display_name|default:&quot;votre application&quot; }} n’a pas abouti</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Lisez l’erreur dans les déploiements de l’application, corrigez-la puis recommencez.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when display_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Application : {{ display_name }}</p><!--{#end#}--><!--{#when app_version#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Version : {{ app_version }}</p><!--{#end#}--><!--{#when error#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Erreur : {{ error }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Ne plus recevoir ces e-mails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Le déploiement de {{ display_name|default:"votre application" }} n’a pas abouti

Lisez l’erreur dans les déploiements de l’application, corrigez-la puis recommencez.

when company_nameEntreprise : {{ company_name }}endwhen display_name
Application : {{ display_name }}endwhen app_version
Version : {{ app_version }}endwhen error
Erreur : {{ error }}end

when company_nameEnvoyé par {{ company_name }}endwhen system.unsubscribe_url

Ne plus recevoir ces e-mailslinked {{ system.unsubscribe_url }} : {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('c2bbe7d119e3bbfa105d54b27df56f376d5756fbb8b07425ee36d7289490b96c', 'hosting.deployment.succeeded', 'en', 'The new version of {{ display_name|default:"your app" }} is live', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>The new version of {{ display_name|default:&quot;your app&quot; }} is live</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Open the app to see the new version at work.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">The new version of {{ display_name|default:&quot;your app&quot; }} is live</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Open the app to see the new version at work.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when display_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">App: {{ display_name }}</p><!--{#end#}--><!--{#when app_version#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Version: {{ app_version }}</p><!--{#end#}--><!--{#when slug#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Identifier: {{ slug }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

The new version of {{ display_name|default:"your app" }} is live

Open the app to see the new version at work.

when company_nameCompany: {{ company_name }}endwhen display_name
App: {{ display_name }}endwhen app_version
Version: {{ app_version }}endwhen slug
Identifier: {{ slug }}end

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('cd799c02d8cf28a1a7ed33c25ecf51c7529a704edea110bd1283d90262d80225', 'hosting.deployment.succeeded', 'fr', 'La nouvelle version de {{ display_name|default:"votre application" }} est en ligne', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>La nouvelle version de {{ display_name|default:&quot;votre application&quot; }} est en ligne</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Ouvrez l’application pour voir la nouvelle version à l’œuvre.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">La nouvelle version de {{ display_name|default:&quot;votre application&quot; }} est en ligne</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Ouvrez l’application pour voir la nouvelle version à l’œuvre.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when display_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Application : {{ display_name }}</p><!--{#end#}--><!--{#when app_version#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Version : {{ app_version }}</p><!--{#end#}--><!--{#when slug#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Identifiant : {{ slug }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Ne plus recevoir ces e-mails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

La nouvelle version de {{ display_name|default:"votre application" }} est en ligne

Ouvrez l’application pour voir la nouvelle version à l’œuvre.

when company_nameEntreprise : {{ company_name }}endwhen display_name
Application : {{ display_name }}endwhen app_version
Version : {{ app_version }}endwhen slug
Identifiant : {{ slug }}end

when company_nameEnvoyé par {{ company_name }}endwhen system.unsubscribe_url

Ne plus recevoir ces e-mailslinked {{ system.unsubscribe_url }} : {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('f03e2ab343647e0f6151424398df364483aaa675f71dc61d274a831b0f448705', 'identity.action_rule.failing', 'en', 'A webhook of {{ company_name|default:"your company" }} fails', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>A webhook of {{ company_name|default:&quot;your company&quot; }} fails</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Its receiver takes no events any more: look at its address and its last attempts.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">A webhook of {{ company_name|default:&quot;your company&quot; }} fails</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Its receiver takes no events any more: look at its address and its last attempts.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when rule_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Webhook: {{ rule_name }}</p><!--{#end#}--><!--{#when rule_event_type#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Event: {{ rule_event_type }}</p><!--{#end#}--><!--{#when host#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Receiver: {{ host }}</p><!--{#end#}--></div><!--{#when app_home_url#}--><!--{#linked {{ app_home_url }}#}--><table role="presentation" border="0" cellpadding="0" cellspacing="0" class="button-table" style="margin:0 0 20px"><tr><td align="center" bgcolor="#1c1c1e" class="button" style="border-radius:8px;background-color:#1c1c1e;mso-padding-alt:13px 26px"><a href="{{ app_home_url }}" class="button-label" style="display:inline-block;padding:13px 26px;border-radius:8px;mso-padding-alt:0;color:#ffffff;font-size:16px;line-height:24px;font-weight:600;text-decoration:none">Open the application</a></td></tr></table><!--{#end#}--><!--{#end#}--><!--{#when app_home_url#}--><p class="text muted html-only" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">If the button does not work, copy this address into your browser:</p><!--{#end#}--><!--{#when app_home_url#}--><p class="text address html-only" style="color:#1c1c1e;overflow-wrap:break-word;margin:0 0 20px;font-size:14px;line-height:20px;word-break:break-all"><a href="{{ app_home_url }}" class="link" style="color:#0b57d0;text-decoration:underline">{{ app_home_url }}</a></p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

A webhook of {{ company_name|default:"your company" }} fails

Its receiver takes no events any more: look at its address and its last attempts.

when company_nameCompany: {{ company_name }}endwhen rule_name
Webhook: {{ rule_name }}endwhen rule_event_type
Event: {{ rule_event_type }}endwhen host
Receiver: {{ host }}endwhen app_home_url

linked {{ app_home_url }}Open the application: {{ app_home_url }}endend

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('65ef9fa0d2207ce8d248e5e7d63b60c3f3bc862c6799a385b4523f97d58d5c35', 'identity.action_rule.failing', 'fr', 'Un webhook de {{ company_name|default:"votre entreprise" }} échoue', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Un webhook de {{ company_name|default:&quot;votre entreprise&quot; }} échoue</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Son destinataire ne reçoit plus d’événements : vérifiez son adresse et ses derniers essais.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Un webhook de {{ company_name|default:&quot;votre entreprise&quot; }} échoue</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Son destinataire ne reçoit plus d’événements : vérifiez son adresse et ses derniers essais.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when rule_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Webhook : {{ rule_name }}</p><!--{#end#}--><!--{#when rule_event_type#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Événement : {{ rule_event_type }}</p><!--{#end#}--><!--{#when host#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Destinataire : {{ host }}</p><!--{#end#}--></div><!--{#when app_home_url#}--><!--{#linked {{ app_home_url }}#}--><table role="presentation" border="0" cellpadding="0" cellspacing="0" class="button-table" style="margin:0 0 20px"><tr><td align="center" bgcolor="#1c1c1e" class="button" style="border-radius:8px;background-color:#1c1c1e;mso-padding-alt:13px 26px"><a href="{{ app_home_url }}" class="button-label" style="display:inline-block;padding:13px 26px;border-radius:8px;mso-padding-alt:0;color:#ffffff;font-size:16px;line-height:24px;font-weight:600;text-decoration:none">Ouvrir l’application</a></td></tr></table><!--{#end#}--><!--{#end#}--><!--{#when app_home_url#}--><p class="text muted html-only" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur :</p><!--{#end#}--><!--{#when app_home_url#}--><p class="text address html-only" style="color:#1c1c1e;overflow-wrap:break-word;margin:0 0 20px;font-size:14px;line-height:20px;word-break:break-all"><a href="{{ app_home_url }}" class="link" style="color:#0b57d0;text-decoration:underline">{{ app_home_url }}</a></p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Ne plus recevoir ces e-mails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Un webhook de {{ company_name|default:"votre entreprise" }} échoue

Son destinataire ne reçoit plus d’événements : vérifiez son adresse et ses derniers essais.

when company_nameEntreprise : {{ company_name }}endwhen rule_name
Webhook : {{ rule_name }}endwhen rule_event_type
Événement : {{ rule_event_type }}endwhen host
Destinataire : {{ host }}endwhen app_home_url

linked {{ app_home_url }}Ouvrir l’application : {{ app_home_url }}endend

when company_nameEnvoyé par {{ company_name }}endwhen system.unsubscribe_url

Ne plus recevoir ces e-mailslinked {{ system.unsubscribe_url }} : {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('510c2aa6a2b4c9ab7e09b9d9b621981d7d3ed2f4471ba6567689268ec6ffedd2', 'identity.auth.login.new_device_detected', 'en', 'New sign-in to {{ company_name|default:"your account" }}', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>New sign-in to {{ company_name|default:&quot;your account&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">A device that we had not seen before has signed in with your address.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">New sign-in to {{ company_name|default:&quot;your account&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Somebody signed in with your address on a device that we had not seen before. If it was you, there is nothing to do.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when signed_in_at#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Signed in: {{ signed_in_at }}</p><!--{#end#}--><!--{#when device#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Device: {{ device }}</p><!--{#end#}--><!--{#when country#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Country: {{ country }}</p><!--{#end#}--></div><!--{#linked {{ session_end_url }}#}--><table role="presentation" border="0" cellpadding="0" cellspacing="0" class="button-table" style="margin:0 0 20px"><tr><td align="center" bgcolor="#1c1c1e" class="button" style="border-radius:8px;background-color:#1c1c1e;mso-padding-alt:13px 26px"><a href="{{ session_end_url }}" class="button-label" style="display:inline-block;padding:13px 26px;border-radius:8px;mso-padding-alt:0;color:#ffffff;font-size:16px;line-height:24px;font-weight:600;text-decoration:none">End this session</a></td></tr></table><!--{#end#}--><p class="text muted html-only" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">If the button does not work, copy this address into your browser:</p><p class="text address html-only" style="color:#1c1c1e;overflow-wrap:break-word;margin:0 0 20px;font-size:14px;line-height:20px;word-break:break-all"><a href="{{ session_end_url }}" class="link" style="color:#0b57d0;text-decoration:underline">{{ session_end_url }}</a></p><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">The button opens a page that asks once more, and ends this one session. Who can read your mail can sign in again: if it was not you, change the password of your mailbox as well.</p></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

New sign-in to {{ company_name|default:"your account" }}

Somebody signed in with your address on a device that we had not seen before. If it was you, there is nothing to do.

when company_nameCompany: {{ company_name }}endwhen signed_in_at
Signed in: {{ signed_in_at }}endwhen device
Device: {{ device }}endwhen country
Country: {{ country }}end

linked {{ session_end_url }}End this session: {{ session_end_url }}end

The button opens a page that asks once more, and ends this one session. Who can read your mail can sign in again: if it was not you, change the password of your mailbox as well.

when company_nameSent by {{ company_name }}end', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('50bccae918b9fc33f2aa10649a15688cd017eb288fce7247d432036139e29b23', 'identity.auth.login.new_device_detected', 'fr', 'Nouvelle connexion à {{ company_name|default:"votre compte" }}', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Nouvelle connexion à {{ company_name|default:&quot;votre compte&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Un appareil que nous ne connaissions pas s’est connecté avec votre adresse.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Nouvelle connexion à {{ company_name|default:&quot;votre compte&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Quelqu’un s’est connecté avec votre adresse sur un appareil que nous ne connaissions pas. Si c’était vous, il n’y a rien à faire.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when signed_in_at#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Connexion : {{ signed_in_at }}</p><!--{#end#}--><!--{#when device#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Appareil : {{ device }}</p><!--{#end#}--><!--{#when country#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Pays : {{ country }}</p><!--{#end#}--></div><!--{#linked {{ session_end_url }}#}--><table role="presentation" border="0" cellpadding="0" cellspacing="0" class="button-table" style="margin:0 0 20px"><tr><td align="center" bgcolor="#1c1c1e" class="button" style="border-radius:8px;background-color:#1c1c1e;mso-padding-alt:13px 26px"><a href="{{ session_end_url }}" class="button-label" style="display:inline-block;padding:13px 26px;border-radius:8px;mso-padding-alt:0;color:#ffffff;font-size:16px;line-height:24px;font-weight:600;text-decoration:none">Mettre fin à la session</a></td></tr></table><!--{#end#}--><p class="text muted html-only" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur :</p><p class="text address html-only" style="color:#1c1c1e;overflow-wrap:break-word;margin:0 0 20px;font-size:14px;line-height:20px;word-break:break-all"><a href="{{ session_end_url }}" class="link" style="color:#0b57d0;text-decoration:underline">{{ session_end_url }}</a></p><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Le bouton ouvre une page qui demande confirmation, puis met fin à cette seule session. Qui peut lire vos e-mails peut se connecter à nouveau : si ce n’était pas vous, changez aussi le mot de passe de votre messagerie.</p></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Nouvelle connexion à {{ company_name|default:"votre compte" }}

Quelqu’un s’est connecté avec votre adresse sur un appareil que nous ne connaissions pas. Si c’était vous, il n’y a rien à faire.

when company_nameEntreprise : {{ company_name }}endwhen signed_in_at
Connexion : {{ signed_in_at }}endwhen device
Appareil : {{ device }}endwhen country
Pays : {{ country }}end

linked {{ session_end_url }}Mettre fin à la session : {{ session_end_url }}end

Le bouton ouvre une page qui demande confirmation, puis met fin à cette seule session. Qui peut lire vos e-mails peut se connecter à nouveau : si ce n’était pas vous, changez aussi le mot de passe de votre messagerie.

when company_nameEnvoyé par {{ company_name }}end', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('7162941eee91169ee2ac4692287f1efca49bceca8b8d262be5139c595bd97676', 'identity.auth.magic_link.requested', 'en', 'Sign in to {{ company_name|default:"your account" }}', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Sign in to {{ company_name|default:&quot;your account&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Continue to {{ company_name|default:&quot;your account&quot; }} from this email, or ignore it if you did not ask for it.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Sign in to {{ company_name|default:&quot;your account&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Press the button and confirm on the page that opens. You need no password.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when recipient_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Name: {{ recipient_name }}</p><!--{#end#}--></div><!--{#linked {{ magic_link_url }}#}--><table role="presentation" border="0" cellpadding="0" cellspacing="0" class="button-table" style="margin:0 0 20px"><tr><td align="center" bgcolor="#1c1c1e" class="button" style="border-radius:8px;background-color:#1c1c1e;mso-padding-alt:13px 26px"><a href="{{ magic_link_url }}" class="button-label" style="display:inline-block;padding:13px 26px;border-radius:8px;mso-padding-alt:0;color:#ffffff;font-size:16px;line-height:24px;font-weight:600;text-decoration:none">Sign in</a></td></tr></table><!--{#end#}--><p class="text muted html-only" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">If the button does not work, copy this address into your browser:</p><p class="text address html-only" style="color:#1c1c1e;overflow-wrap:break-word;margin:0 0 20px;font-size:14px;line-height:20px;word-break:break-all"><a href="{{ magic_link_url }}" class="link" style="color:#0b57d0;text-decoration:underline">{{ magic_link_url }}</a></p><!--{#when sign_in_code#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Or type this code on the page where you asked to sign in:</p><!--{#end#}--><!--{#when sign_in_code#}--><p class="text code" style="overflow-wrap:break-word;margin:0 0 20px;padding:14px 16px;border-radius:8px;background-color:#f1f1f4;color:#1c1c1e;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,&#39;Courier New&#39;,monospace;font-size:28px;line-height:36px;font-weight:700;letter-spacing:3px;text-align:center;white-space:nowrap">{{ sign_in_code }}</p><!--{#end#}--><!--{#when link_lifetime#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">This sign-in works once and ends {{ link_lifetime }} after you asked for it.</p><!--{#end#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">If you did not ask to sign in, ignore this email. Nobody can sign in without it, so do not forward it and do not tell anyone what it holds.</p></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Sign in to {{ company_name|default:"your account" }}

Press the button and confirm on the page that opens. You need no password.

when company_nameCompany: {{ company_name }}endwhen recipient_name
Name: {{ recipient_name }}end

linked {{ magic_link_url }}Sign in: {{ magic_link_url }}endwhen sign_in_code

Or type this code on the page where you asked to sign in:endwhen sign_in_code

{{ sign_in_code }}endwhen link_lifetime

This sign-in works once and ends {{ link_lifetime }} after you asked for it.end

If you did not ask to sign in, ignore this email. Nobody can sign in without it, so do not forward it and do not tell anyone what it holds.

when company_nameSent by {{ company_name }}end', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('f836f8301ac1441d94f081c06fe5eca22fe0d079f86293af2870c35e5ccd67e8', 'identity.auth.magic_link.requested', 'fr', 'Se connecter à {{ company_name|default:"votre compte" }}', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Se connecter à {{ company_name|default:&quot;votre compte&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Accédez à {{ company_name|default:&quot;votre compte&quot; }} depuis cet e-mail, ou ignorez-le si vous n’avez rien demandé.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Se connecter à {{ company_name|default:&quot;votre compte&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Appuyez sur le bouton, puis confirmez sur la page qui s’ouvre. Aucun mot de passe n’est nécessaire.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when recipient_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Nom : {{ recipient_name }}</p><!--{#end#}--></div><!--{#linked {{ magic_link_url }}#}--><table role="presentation" border="0" cellpadding="0" cellspacing="0" class="button-table" style="margin:0 0 20px"><tr><td align="center" bgcolor="#1c1c1e" class="button" style="border-radius:8px;background-color:#1c1c1e;mso-padding-alt:13px 26px"><a href="{{ magic_link_url }}" class="button-label" style="display:inline-block;padding:13px 26px;border-radius:8px;mso-padding-alt:0;color:#ffffff;font-size:16px;line-height:24px;font-weight:600;text-decoration:none">Se connecter</a></td></tr></table><!--{#end#}--><p class="text muted html-only" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur :</p><p class="text address html-only" style="color:#1c1c1e;overflow-wrap:break-word;margin:0 0 20px;font-size:14px;line-height:20px;word-break:break-all"><a href="{{ magic_link_url }}" class="link" style="color:#0b57d0;text-decoration:underline">{{ magic_link_url }}</a></p><!--{#when sign_in_code#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Ou saisissez ce code sur la page où vous avez demandé à vous connecter :</p><!--{#end#}--><!--{#when sign_in_code#}--><p class="text code" style="overflow-wrap:break-word;margin:0 0 20px;padding:14px 16px;border-radius:8px;background-color:#f1f1f4;color:#1c1c1e;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,&#39;Courier New&#39;,monospace;font-size:28px;line-height:36px;font-weight:700;letter-spacing:3px;text-align:center;white-space:nowrap">{{ sign_in_code }}</p><!--{#end#}--><!--{#when link_lifetime#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Cette connexion ne sert qu’une fois et prend fin {{ link_lifetime }} après votre demande.</p><!--{#end#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Si vous n’avez pas demandé à vous connecter, ignorez cet e-mail. Personne ne peut se connecter sans lui : ne le transférez pas et ne communiquez son contenu à personne.</p></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Se connecter à {{ company_name|default:"votre compte" }}

Appuyez sur le bouton, puis confirmez sur la page qui s’ouvre. Aucun mot de passe n’est nécessaire.

when company_nameEntreprise : {{ company_name }}endwhen recipient_name
Nom : {{ recipient_name }}end

linked {{ magic_link_url }}Se connecter : {{ magic_link_url }}endwhen sign_in_code

Ou saisissez ce code sur la page où vous avez demandé à vous connecter :endwhen sign_in_code

{{ sign_in_code }}endwhen link_lifetime

Cette connexion ne sert qu’une fois et prend fin {{ link_lifetime }} après votre demande.end

Si vous n’avez pas demandé à vous connecter, ignorez cet e-mail. Personne ne peut se connecter sans lui : ne le transférez pas et ne communiquez son contenu à personne.

when company_nameEnvoyé par {{ company_name }}end', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('a5f7d9c2f7819ea7abcae426f4996eb25d2c188fc5f90ef15ebeaf8da5028fca', 'identity.group.created', 'en', 'Group added: {{ display_name|default:"unnamed" }}', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Group added: {{ display_name|default:&quot;unnamed&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Add members to the group to give them what it opens.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Group added: {{ display_name|default:&quot;unnamed&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Add members to the group to give them what it opens.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when display_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Group: {{ display_name }}</p><!--{#end#}--><!--{#when source#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Source: {{ source }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Group added: {{ display_name|default:"unnamed" }}

Add members to the group to give them what it opens.

when company_nameCompany: {{ company_name }}endwhen display_name
Group: {{ display_name }}endwhen source
Source: {{ source }}end

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('fa3f5da43241e715edc1e3a35c988fd93ad7b84504abb01645d5865d86e3b7dc', 'identity.group.created', 'fr', 'Groupe ajouté : {{ display_name|default:"sans nom" }}', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Groupe ajouté : {{ display_name|default:&quot;sans nom&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Ajoutez des membres au groupe pour leur donner les accès qu’il ouvre.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Groupe ajouté : {{ display_name|default:&quot;sans nom&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Ajoutez des membres au groupe pour leur donner les accès qu’il ouvre.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when display_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Groupe : {{ display_name }}</p><!--{#end#}--><!--{#when source#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Origine : {{ source }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Ne plus recevoir ces e-mails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Groupe ajouté : {{ display_name|default:"sans nom" }}

Ajoutez des membres au groupe pour leur donner les accès qu’il ouvre.

when company_nameEntreprise : {{ company_name }}endwhen display_name
Groupe : {{ display_name }}endwhen source
Origine : {{ source }}end

when company_nameEnvoyé par {{ company_name }}endwhen system.unsubscribe_url

Ne plus recevoir ces e-mailslinked {{ system.unsubscribe_url }} : {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('46443ed0de0973fbb83f01a371d87f8fd7f92eebf0884b85f24f274cd89d2e8f', 'identity.group.deleted', 'en', 'Group deleted: {{ display_name|default:"unnamed" }}', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Group deleted: {{ display_name|default:&quot;unnamed&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Check that its former members still reach what they need.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Group deleted: {{ display_name|default:&quot;unnamed&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Check that its former members still reach what they need.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when display_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Group: {{ display_name }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Group deleted: {{ display_name|default:"unnamed" }}

Check that its former members still reach what they need.

when company_nameCompany: {{ company_name }}endwhen display_name
Group: {{ display_name }}end

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('07d1f9fa7a5aeb514d99b9f08638d074413928b2b907fe04c8f6b8869e4494cb', 'identity.group.deleted', 'fr', 'Groupe supprimé : {{ display_name|default:"sans nom" }}', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Groupe supprimé : {{ display_name|default:&quot;sans nom&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Vérifiez que ses anciens membres gardent les accès dont ils ont besoin.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Groupe supprimé : {{ display_name|default:&quot;sans nom&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Vérifiez que ses anciens membres gardent les accès dont ils ont besoin.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when display_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Groupe : {{ display_name }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Ne plus recevoir ces e-mails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Groupe supprimé : {{ display_name|default:"sans nom" }}

Vérifiez que ses anciens membres gardent les accès dont ils ont besoin.

when company_nameEntreprise : {{ company_name }}endwhen display_name
Groupe : {{ display_name }}end

when company_nameEnvoyé par {{ company_name }}endwhen system.unsubscribe_url

Ne plus recevoir ces e-mailslinked {{ system.unsubscribe_url }} : {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('4263ce38cb54d0d8ab364cf42036eb66b30fbfad582c7c144b1a4b6091b567ad', 'identity.group.membership_changed', 'en', 'Members of a group changed: {{ display_name|default:"unnamed" }}', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Members of a group changed: {{ display_name|default:&quot;unnamed&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Open the group to see who belongs to it now.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Members of a group changed: {{ display_name|default:&quot;unnamed&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Open the group to see who belongs to it now.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when display_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Group: {{ display_name }}</p><!--{#end#}--><!--{#when change#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Change: {{ change }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Members of a group changed: {{ display_name|default:"unnamed" }}

Open the group to see who belongs to it now.

when company_nameCompany: {{ company_name }}endwhen display_name
Group: {{ display_name }}endwhen change
Change: {{ change }}end

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('7eb8dcd159727151b2328e88c8e66bc850cadd24edfa615776786f29867644b5', 'identity.group.membership_changed', 'fr', 'Les membres d’un groupe ont changé : {{ display_name|default:"sans nom" }}', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Les membres d’un groupe ont changé : {{ display_name|default:&quot;sans nom&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Ouvrez le groupe pour voir qui en fait partie maintenant.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Les membres d’un groupe ont changé : {{ display_name|default:&quot;sans nom&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Ouvrez le groupe pour voir qui en fait partie maintenant.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when display_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Groupe : {{ display_name }}</p><!--{#end#}--><!--{#when change#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Changement : {{ change }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Ne plus recevoir ces e-mails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Les membres d’un groupe ont changé : {{ display_name|default:"sans nom" }}

Ouvrez le groupe pour voir qui en fait partie maintenant.

when company_nameEntreprise : {{ company_name }}endwhen display_name
Groupe : {{ display_name }}endwhen change
Changement : {{ change }}end

when company_nameEnvoyé par {{ company_name }}endwhen system.unsubscribe_url

Ne plus recevoir ces e-mailslinked {{ system.unsubscribe_url }} : {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('d4673640138304b01fb42e913ce20610ad0021ebc0ae3345920c88a3a66aea54', 'identity.group.updated', 'en', 'Group changed: {{ display_name|default:"unnamed" }}', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Group changed: {{ display_name|default:&quot;unnamed&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Open the group to review its present details.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Group changed: {{ display_name|default:&quot;unnamed&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Open the group to review its present details.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when display_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Group: {{ display_name }}</p><!--{#end#}--><!--{#when changed_fields#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Changed fields: {{ changed_fields }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Group changed: {{ display_name|default:"unnamed" }}

Open the group to review its present details.

when company_nameCompany: {{ company_name }}endwhen display_name
Group: {{ display_name }}endwhen changed_fields
Changed fields: {{ changed_fields }}end

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('03630481a2e5be2f568534dfbc2ea78e868b163aaf27dd64ac5d309f9c4522db', 'identity.group.updated', 'fr', 'Groupe modifié : {{ display_name|default:"sans nom" }}', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Groupe modifié : {{ display_name|default:&quot;sans nom&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Ouvrez le groupe pour consulter ses informations actuelles.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Groupe modifié : {{ display_name|default:&quot;sans nom&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Ouvrez le groupe pour consulter ses informations actuelles.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when display_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Groupe : {{ display_name }}</p><!--{#end#}--><!--{#when changed_fields#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Champs modifiés : {{ changed_fields }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Ne plus recevoir ces e-mails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Groupe modifié : {{ display_name|default:"sans nom" }}

Ouvrez le groupe pour consulter ses informations actuelles.

when company_nameEntreprise : {{ company_name }}endwhen display_name
Groupe : {{ display_name }}endwhen changed_fields
Champs modifiés : {{ changed_fields }}end

when company_nameEnvoyé par {{ company_name }}endwhen system.unsubscribe_url

Ne plus recevoir ces e-mailslinked {{ system.unsubscribe_url }} : {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('84006bd5ca3b4e63935c75a7f7a8ec846646ae9f0c9cf11ef8a71e3258180ca8', 'identity.membership.enabled', 'en', 'Your access to {{ company_name|default:"your company" }} is now open', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Your access to {{ company_name|default:&quot;your company&quot; }} is now open</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">You can sign in with the address that received this email.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Your access to {{ company_name|default:&quot;your company&quot; }} is now open</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">You can sign in with the address that received this email.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when recipient_email#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Email address: {{ recipient_email }}</p><!--{#end#}--></div><!--{#when app_url#}--><!--{#linked {{ app_url }}#}--><table role="presentation" border="0" cellpadding="0" cellspacing="0" class="button-table" style="margin:0 0 20px"><tr><td align="center" bgcolor="#1c1c1e" class="button" style="border-radius:8px;background-color:#1c1c1e;mso-padding-alt:13px 26px"><a href="{{ app_url }}" class="button-label" style="display:inline-block;padding:13px 26px;border-radius:8px;mso-padding-alt:0;color:#ffffff;font-size:16px;line-height:24px;font-weight:600;text-decoration:none">Sign in</a></td></tr></table><!--{#end#}--><!--{#end#}--><!--{#when app_url#}--><p class="text muted html-only" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">If the button does not work, copy this address into your browser:</p><!--{#end#}--><!--{#when app_url#}--><p class="text address html-only" style="color:#1c1c1e;overflow-wrap:break-word;margin:0 0 20px;font-size:14px;line-height:20px;word-break:break-all"><a href="{{ app_url }}" class="link" style="color:#0b57d0;text-decoration:underline">{{ app_url }}</a></p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Your access to {{ company_name|default:"your company" }} is now open

You can sign in with the address that received this email.

when company_nameCompany: {{ company_name }}endwhen recipient_email
Email address: {{ recipient_email }}endwhen app_url

linked {{ app_url }}Sign in: {{ app_url }}endend

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('1b360798666e9e391e94591ba58c418892964d2258a09fc06673dc42b80137dd', 'identity.membership.enabled', 'fr', 'Votre accès à {{ company_name|default:"votre entreprise" }} est ouvert', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Votre accès à {{ company_name|default:&quot;votre entreprise&quot; }} est ouvert</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Vous pouvez vous connecter avec l’adresse qui a reçu cet e-mail.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Votre accès à {{ company_name|default:&quot;votre entreprise&quot; }} est ouvert</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Vous pouvez vous connecter avec l’adresse qui a reçu cet e-mail.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when recipient_email#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Adresse e-mail : {{ recipient_email }}</p><!--{#end#}--></div><!--{#when app_url#}--><!--{#linked {{ app_url }}#}--><table role="presentation" border="0" cellpadding="0" cellspacing="0" class="button-table" style="margin:0 0 20px"><tr><td align="center" bgcolor="#1c1c1e" class="button" style="border-radius:8px;background-color:#1c1c1e;mso-padding-alt:13px 26px"><a href="{{ app_url }}" class="button-label" style="display:inline-block;padding:13px 26px;border-radius:8px;mso-padding-alt:0;color:#ffffff;font-size:16px;line-height:24px;font-weight:600;text-decoration:none">Se connecter</a></td></tr></table><!--{#end#}--><!--{#end#}--><!--{#when app_url#}--><p class="text muted html-only" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur :</p><!--{#end#}--><!--{#when app_url#}--><p class="text address html-only" style="color:#1c1c1e;overflow-wrap:break-word;margin:0 0 20px;font-size:14px;line-height:20px;word-break:break-all"><a href="{{ app_url }}" class="link" style="color:#0b57d0;text-decoration:underline">{{ app_url }}</a></p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Ne plus recevoir ces e-mails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Votre accès à {{ company_name|default:"votre entreprise" }} est ouvert

Vous pouvez vous connecter avec l’adresse qui a reçu cet e-mail.

when company_nameEntreprise : {{ company_name }}endwhen recipient_email
Adresse e-mail : {{ recipient_email }}endwhen app_url

linked {{ app_url }}Se connecter : {{ app_url }}endend

when company_nameEnvoyé par {{ company_name }}endwhen system.unsubscribe_url

Ne plus recevoir ces e-mailslinked {{ system.unsubscribe_url }} : {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('96196c63cdfcc8fef7e9a8e35b8983c2b2d25478a0e2cdee942a42fe49afea45', 'identity.membership.requested', 'en', 'Someone asks for access to {{ company_name|default:"your company" }}', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Someone asks for access to {{ company_name|default:&quot;your company&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Review the request among the members and decide whether to accept it.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Someone asks for access to {{ company_name|default:&quot;your company&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Review the request among the members and decide whether to accept it.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when recipient_email#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Email address: {{ recipient_email }}</p><!--{#end#}--><!--{#when requester_email#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Asked by: {{ requester_email }}</p><!--{#end#}--></div><!--{#when review_url#}--><!--{#linked {{ review_url }}#}--><table role="presentation" border="0" cellpadding="0" cellspacing="0" class="button-table" style="margin:0 0 20px"><tr><td align="center" bgcolor="#1c1c1e" class="button" style="border-radius:8px;background-color:#1c1c1e;mso-padding-alt:13px 26px"><a href="{{ review_url }}" class="button-label" style="display:inline-block;padding:13px 26px;border-radius:8px;mso-padding-alt:0;color:#ffffff;font-size:16px;line-height:24px;font-weight:600;text-decoration:none">Review the request</a></td></tr></table><!--{#end#}--><!--{#end#}--><!--{#when review_url#}--><p class="text muted html-only" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">If the button does not work, copy this address into your browser:</p><!--{#end#}--><!--{#when review_url#}--><p class="text address html-only" style="color:#1c1c1e;overflow-wrap:break-word;margin:0 0 20px;font-size:14px;line-height:20px;word-break:break-all"><a href="{{ review_url }}" class="link" style="color:#0b57d0;text-decoration:underline">{{ review_url }}</a></p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Someone asks for access to {{ company_name|default:"your company" }}

Review the request among the members and decide whether to accept it.

when company_nameCompany: {{ company_name }}endwhen recipient_email
Email address: {{ recipient_email }}endwhen requester_email
Asked by: {{ requester_email }}endwhen review_url

linked {{ review_url }}Review the request: {{ review_url }}endend

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('d8a28732897976690ccbebf525cb6e34771a0b46b076fe75371f7edfc3c5875a', 'identity.membership.requested', 'fr', 'Une personne demande l’accès à {{ company_name|default:"votre entreprise" }}', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Une personne demande l’accès à {{ company_name|default:&quot;votre entreprise&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Examinez la demande parmi les membres, puis acceptez-la ou refusez-la.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Une personne demande l’accès à {{ company_name|default:&quot;votre entreprise&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Examinez la demande parmi les membres, puis acceptez-la ou refusez-la.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when recipient_email#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Adresse e-mail : {{ recipient_email }}</p><!--{#end#}--><!--{#when requester_email#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Demande de : {{ requester_email }}</p><!--{#end#}--></div><!--{#when review_url#}--><!--{#linked {{ review_url }}#}--><table role="presentation" border="0" cellpadding="0" cellspacing="0" class="button-table" style="margin:0 0 20px"><tr><td align="center" bgcolor="#1c1c1e" class="button" style="border-radius:8px;background-color:#1c1c1e;mso-padding-alt:13px 26px"><a href="{{ review_url }}" class="button-label" style="display:inline-block;padding:13px 26px;border-radius:8px;mso-padding-alt:0;color:#ffffff;font-size:16px;line-height:24px;font-weight:600;text-decoration:none">Examiner la demande</a></td></tr></table><!--{#end#}--><!--{#end#}--><!--{#when review_url#}--><p class="text muted html-only" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur :</p><!--{#end#}--><!--{#when review_url#}--><p class="text address html-only" style="color:#1c1c1e;overflow-wrap:break-word;margin:0 0 20px;font-size:14px;line-height:20px;word-break:break-all"><a href="{{ review_url }}" class="link" style="color:#0b57d0;text-decoration:underline">{{ review_url }}</a></p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Ne plus recevoir ces e-mails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Une personne demande l’accès à {{ company_name|default:"votre entreprise" }}

Examinez la demande parmi les membres, puis acceptez-la ou refusez-la.

when company_nameEntreprise : {{ company_name }}endwhen recipient_email
Adresse e-mail : {{ recipient_email }}endwhen requester_email
Demande de : {{ requester_email }}endwhen review_url

linked {{ review_url }}Examiner la demande : {{ review_url }}endend

when company_nameEnvoyé par {{ company_name }}endwhen system.unsubscribe_url

Ne plus recevoir ces e-mailslinked {{ system.unsubscribe_url }} : {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('29e335d6568bca6448397bab615315d2420c85b35554c946b4c78020beddaade', 'identity.scim.provisioning_conflict', 'en', 'The directory sync met a name conflict: {{ display_name|default:"unnamed" }}', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>The directory sync met a name conflict: {{ display_name|default:&quot;unnamed&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Rename one of the two entries, and the next sync will take the change.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">The directory sync met a name conflict: {{ display_name|default:&quot;unnamed&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Rename one of the two entries, and the next sync will take the change.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when display_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Name: {{ display_name }}</p><!--{#end#}--><!--{#when operation#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Operation: {{ operation }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

The directory sync met a name conflict: {{ display_name|default:"unnamed" }}

Rename one of the two entries, and the next sync will take the change.

when company_nameCompany: {{ company_name }}endwhen display_name
Name: {{ display_name }}endwhen operation
Operation: {{ operation }}end

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('032e67b715113fea09840b8cab80d8d9a5f3a35608e189cc80a51866a069c480', 'identity.scim.provisioning_conflict', 'fr', 'L’annuaire signale un conflit de nom : {{ display_name|default:"sans nom" }}', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>L’annuaire signale un conflit de nom : {{ display_name|default:&quot;sans nom&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Renommez l’une des deux entrées, et la prochaine synchronisation fera le reste.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">L’annuaire signale un conflit de nom : {{ display_name|default:&quot;sans nom&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Renommez l’une des deux entrées, et la prochaine synchronisation fera le reste.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when display_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Nom : {{ display_name }}</p><!--{#end#}--><!--{#when operation#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Opération : {{ operation }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Ne plus recevoir ces e-mails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

L’annuaire signale un conflit de nom : {{ display_name|default:"sans nom" }}

Renommez l’une des deux entrées, et la prochaine synchronisation fera le reste.

when company_nameEntreprise : {{ company_name }}endwhen display_name
Nom : {{ display_name }}endwhen operation
Opération : {{ operation }}end

when company_nameEnvoyé par {{ company_name }}endwhen system.unsubscribe_url

Ne plus recevoir ces e-mailslinked {{ system.unsubscribe_url }} : {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('4d08c21f05056677187b3f51a54667fc37d4d51a6273c1fd08ead59652bb3d36', 'identity.scim.token.created', 'en', 'A directory token was made for {{ company_name|default:"your company" }}', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>A directory token was made for {{ company_name|default:&quot;your company&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Revoke the token in the directory settings if nobody on your side made it.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">A directory token was made for {{ company_name|default:&quot;your company&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Revoke the token in the directory settings if nobody on your side made it.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when token_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Token: {{ token_name }}</p><!--{#end#}--><!--{#when token_prefix#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Begins with: {{ token_prefix }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

A directory token was made for {{ company_name|default:"your company" }}

Revoke the token in the directory settings if nobody on your side made it.

when company_nameCompany: {{ company_name }}endwhen token_name
Token: {{ token_name }}endwhen token_prefix
Begins with: {{ token_prefix }}end

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('f14038a9607f0a37e03bcbc2570325ad4bf340ed90dd963ccd4a5cd9893ef71d', 'identity.scim.token.created', 'fr', 'Un jeton d’annuaire a été créé pour {{ company_name|default:"votre entreprise" }}', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Un jeton d’annuaire a été créé pour {{ company_name|default:&quot;votre entreprise&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Révoquez-le dans les réglages de l’annuaire si personne chez vous ne l’a créé.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Un jeton d’annuaire a été créé pour {{ company_name|default:&quot;votre entreprise&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Révoquez-le dans les réglages de l’annuaire si personne chez vous ne l’a créé.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when token_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Jeton : {{ token_name }}</p><!--{#end#}--><!--{#when token_prefix#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Commence par : {{ token_prefix }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Ne plus recevoir ces e-mails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Un jeton d’annuaire a été créé pour {{ company_name|default:"votre entreprise" }}

Révoquez-le dans les réglages de l’annuaire si personne chez vous ne l’a créé.

when company_nameEntreprise : {{ company_name }}endwhen token_name
Jeton : {{ token_name }}endwhen token_prefix
Commence par : {{ token_prefix }}end

when company_nameEnvoyé par {{ company_name }}endwhen system.unsubscribe_url

Ne plus recevoir ces e-mailslinked {{ system.unsubscribe_url }} : {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('f7eeed1d174f7167caef60c1c4b8569f9e1259fb98b4577c9018604545f530ab', 'identity.scim.token.revoked', 'en', 'Directory token revoked: {{ token_name|default:"unnamed" }}', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Directory token revoked: {{ token_name|default:&quot;unnamed&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Give the directory a new token if it should continue to sync.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Directory token revoked: {{ token_name|default:&quot;unnamed&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Give the directory a new token if it should continue to sync.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when token_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Token: {{ token_name }}</p><!--{#end#}--><!--{#when token_prefix#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Begins with: {{ token_prefix }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Directory token revoked: {{ token_name|default:"unnamed" }}

Give the directory a new token if it should continue to sync.

when company_nameCompany: {{ company_name }}endwhen token_name
Token: {{ token_name }}endwhen token_prefix
Begins with: {{ token_prefix }}end

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('eb4ad6affe6407950982381e8ee29c6f318a49de623e6ffbbb2343d83e4a2c44', 'identity.scim.token.revoked', 'fr', 'Jeton d’annuaire révoqué : {{ token_name|default:"sans nom" }}', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Jeton d’annuaire révoqué : {{ token_name|default:&quot;sans nom&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Donnez un nouveau jeton à l’annuaire si la synchronisation doit continuer.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Jeton d’annuaire révoqué : {{ token_name|default:&quot;sans nom&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Donnez un nouveau jeton à l’annuaire si la synchronisation doit continuer.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when token_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Jeton : {{ token_name }}</p><!--{#end#}--><!--{#when token_prefix#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Commence par : {{ token_prefix }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Ne plus recevoir ces e-mails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Jeton d’annuaire révoqué : {{ token_name|default:"sans nom" }}

Donnez un nouveau jeton à l’annuaire si la synchronisation doit continuer.

when company_nameEntreprise : {{ company_name }}endwhen token_name
Jeton : {{ token_name }}endwhen token_prefix
Commence par : {{ token_prefix }}end

when company_nameEnvoyé par {{ company_name }}endwhen system.unsubscribe_url

Ne plus recevoir ces e-mailslinked {{ system.unsubscribe_url }} : {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('2839eb8dfc39bc453a087e9994c864db5dfa24b066b2b9dcb4803d298931d7ae', 'identity.scim.user.deprovisioned', 'en', 'Access ended for {{ recipient_email|default:"a member" }}', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Access ended for {{ recipient_email|default:&quot;a member&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">The directory removed this access, and giving it back is done there as well.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Access ended for {{ recipient_email|default:&quot;a member&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">The directory removed this access, and giving it back is done there as well.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when recipient_email#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Email address: {{ recipient_email }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Access ended for {{ recipient_email|default:"a member" }}

The directory removed this access, and giving it back is done there as well.

when company_nameCompany: {{ company_name }}endwhen recipient_email
Email address: {{ recipient_email }}end

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('2fb33d014e041d6fa446c4828b1470885658f5f3ff82cba513c48e32444456b8', 'identity.scim.user.deprovisioned', 'fr', 'Accès terminé pour {{ recipient_email|default:"un membre" }}', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Accès terminé pour {{ recipient_email|default:&quot;un membre&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">L’annuaire a retiré cet accès, et c’est aussi là qu’il peut être rendu.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Accès terminé pour {{ recipient_email|default:&quot;un membre&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">L’annuaire a retiré cet accès, et c’est aussi là qu’il peut être rendu.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when recipient_email#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Adresse e-mail : {{ recipient_email }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Ne plus recevoir ces e-mails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Accès terminé pour {{ recipient_email|default:"un membre" }}

L’annuaire a retiré cet accès, et c’est aussi là qu’il peut être rendu.

when company_nameEntreprise : {{ company_name }}endwhen recipient_email
Adresse e-mail : {{ recipient_email }}end

when company_nameEnvoyé par {{ company_name }}endwhen system.unsubscribe_url

Ne plus recevoir ces e-mailslinked {{ system.unsubscribe_url }} : {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('66051bba7219ca823157b8940c7c13233a1acb07e4f0c8f44e76cc812ec1f56d', 'identity.scim.user.provisioned', 'en', 'Access is ready for {{ recipient_email|default:"a member" }}', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Access is ready for {{ recipient_email|default:&quot;a member&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">The directory gave this access, and signing in is possible from now on.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Access is ready for {{ recipient_email|default:&quot;a member&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">The directory gave this access, and signing in is possible from now on.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when recipient_email#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Email address: {{ recipient_email }}</p><!--{#end#}--><!--{#when source#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Source: {{ source }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Access is ready for {{ recipient_email|default:"a member" }}

The directory gave this access, and signing in is possible from now on.

when company_nameCompany: {{ company_name }}endwhen recipient_email
Email address: {{ recipient_email }}endwhen source
Source: {{ source }}end

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('696678ef013898ebec544386a3566683040ee42e075c0afeded4e42f6e8f72fa', 'identity.scim.user.provisioned', 'fr', 'Accès prêt pour {{ recipient_email|default:"un membre" }}', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Accès prêt pour {{ recipient_email|default:&quot;un membre&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">L’annuaire a donné cet accès, et la connexion est possible dès maintenant.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Accès prêt pour {{ recipient_email|default:&quot;un membre&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">L’annuaire a donné cet accès, et la connexion est possible dès maintenant.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when recipient_email#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Adresse e-mail : {{ recipient_email }}</p><!--{#end#}--><!--{#when source#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Origine : {{ source }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Ne plus recevoir ces e-mails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Accès prêt pour {{ recipient_email|default:"un membre" }}

L’annuaire a donné cet accès, et la connexion est possible dès maintenant.

when company_nameEntreprise : {{ company_name }}endwhen recipient_email
Adresse e-mail : {{ recipient_email }}endwhen source
Origine : {{ source }}end

when company_nameEnvoyé par {{ company_name }}endwhen system.unsubscribe_url

Ne plus recevoir ces e-mailslinked {{ system.unsubscribe_url }} : {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('ee728da6e8a89236efcd9c38dc6293dad955010ccc4d4b16b8d8fe265ff02e40', 'identity.user.created', 'en', 'An account was made for {{ recipient_email|default:"a member" }}', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>An account was made for {{ recipient_email|default:&quot;a member&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Signing in with this address is possible from now on.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">An account was made for {{ recipient_email|default:&quot;a member&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Signing in with this address is possible from now on.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when recipient_email#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Email address: {{ recipient_email }}</p><!--{#end#}--><!--{#when source#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Source: {{ source }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

An account was made for {{ recipient_email|default:"a member" }}

Signing in with this address is possible from now on.

when company_nameCompany: {{ company_name }}endwhen recipient_email
Email address: {{ recipient_email }}endwhen source
Source: {{ source }}end

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('18c4296651cb4fcdaee2d6f94e826f988ec11f94870c055e0681bd410195126f', 'identity.user.created', 'fr', 'Un compte a été créé pour {{ recipient_email|default:"un membre" }}', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Un compte a été créé pour {{ recipient_email|default:&quot;un membre&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">La connexion avec cette adresse est possible dès maintenant.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Un compte a été créé pour {{ recipient_email|default:&quot;un membre&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">La connexion avec cette adresse est possible dès maintenant.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when recipient_email#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Adresse e-mail : {{ recipient_email }}</p><!--{#end#}--><!--{#when source#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Origine : {{ source }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Ne plus recevoir ces e-mails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Un compte a été créé pour {{ recipient_email|default:"un membre" }}

La connexion avec cette adresse est possible dès maintenant.

when company_nameEntreprise : {{ company_name }}endwhen recipient_email
Adresse e-mail : {{ recipient_email }}endwhen source
Origine : {{ source }}end

when company_nameEnvoyé par {{ company_name }}endwhen system.unsubscribe_url

Ne plus recevoir ces e-mailslinked {{ system.unsubscribe_url }} : {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('27e65cd33cc6a529fbbba36d5cd9bfeb9328340e88e284577734889a97f4105e', 'identity.user.deleted', 'en', 'An account was deleted at {{ company_name|default:"your company" }}', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>An account was deleted at {{ company_name|default:&quot;your company&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Invite the person again if the account should come back.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">An account was deleted at {{ company_name|default:&quot;your company&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Invite the person again if the account should come back.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when recipient_email#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Email address: {{ recipient_email }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

An account was deleted at {{ company_name|default:"your company" }}

Invite the person again if the account should come back.

when company_nameCompany: {{ company_name }}endwhen recipient_email
Email address: {{ recipient_email }}end

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('44f6658060114762efdd4874fb0209018d26b76a0e785372e5084a9e60c32cc9', 'identity.user.deleted', 'fr', 'Un compte {{ company_name|default:"de votre entreprise" }} a été supprimé', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Un compte {{ company_name|default:&quot;de votre entreprise&quot; }} a été supprimé</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Invitez de nouveau la personne si le compte doit être rétabli.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Un compte {{ company_name|default:&quot;de votre entreprise&quot; }} a été supprimé</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Invitez de nouveau la personne si le compte doit être rétabli.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when recipient_email#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Adresse e-mail : {{ recipient_email }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Ne plus recevoir ces e-mails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Un compte {{ company_name|default:"de votre entreprise" }} a été supprimé

Invitez de nouveau la personne si le compte doit être rétabli.

when company_nameEntreprise : {{ company_name }}endwhen recipient_email
Adresse e-mail : {{ recipient_email }}end

when company_nameEnvoyé par {{ company_name }}endwhen system.unsubscribe_url

Ne plus recevoir ces e-mailslinked {{ system.unsubscribe_url }} : {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('0a72f4504c968b6a2ebc545d3f84c1d661d9fc7f2e1abe8102d436dbab2c3d2a', 'identity.user.invitation_revoked', 'en', 'Your invitation to {{ company_name|default:"the team" }} was withdrawn', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Your invitation to {{ company_name|default:&quot;the team&quot; }} was withdrawn</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">The earlier email no longer works, so ask the person who invited you for a new one.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Your invitation to {{ company_name|default:&quot;the team&quot; }} was withdrawn</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">The earlier email no longer works, so ask the person who invited you for a new one.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when recipient_email#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Email address: {{ recipient_email }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Your invitation to {{ company_name|default:"the team" }} was withdrawn

The earlier email no longer works, so ask the person who invited you for a new one.

when company_nameCompany: {{ company_name }}endwhen recipient_email
Email address: {{ recipient_email }}end

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('ea4234f327a23765f7e86950949d0a6886b1f65c8c2a4095ef0640bbd566311f', 'identity.user.invitation_revoked', 'fr', 'Votre invitation à rejoindre {{ company_name|default:"l’équipe" }} a été retirée', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Votre invitation à rejoindre {{ company_name|default:&quot;l’équipe&quot; }} a été retirée</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">L’e-mail précédent n’est plus valable, demandez-en un autre à qui vous a invité.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Votre invitation à rejoindre {{ company_name|default:&quot;l’équipe&quot; }} a été retirée</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">L’e-mail précédent n’est plus valable, demandez-en un autre à qui vous a invité.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when recipient_email#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Adresse e-mail : {{ recipient_email }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Ne plus recevoir ces e-mails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Votre invitation à rejoindre {{ company_name|default:"l’équipe" }} a été retirée

L’e-mail précédent n’est plus valable, demandez-en un autre à qui vous a invité.

when company_nameEntreprise : {{ company_name }}endwhen recipient_email
Adresse e-mail : {{ recipient_email }}end

when company_nameEnvoyé par {{ company_name }}endwhen system.unsubscribe_url

Ne plus recevoir ces e-mailslinked {{ system.unsubscribe_url }} : {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('97837eb683937ec8613c01db106211ae3ff43d1a645768855017ac85cb68e355', 'identity.user.invited', 'en', '{{ inviter_name|default:"A colleague" }} invited you to {{ company_name|default:"the team" }}', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>{{ inviter_name|default:&quot;A colleague&quot; }} invited you to {{ company_name|default:&quot;the team&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Open the invitation to join {{ company_name|default:&quot;the team&quot; }} with this address.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">{{ inviter_name|default:&quot;A colleague&quot; }} invited you to {{ company_name|default:&quot;the team&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Open the invitation to see what it gives you access to, and accept it there.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when inviter_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Invited by: {{ inviter_name }}</p><!--{#end#}--><!--{#when recipient_email#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Email address: {{ recipient_email }}</p><!--{#end#}--></div><!--{#linked {{ invitation_url }}#}--><table role="presentation" border="0" cellpadding="0" cellspacing="0" class="button-table" style="margin:0 0 20px"><tr><td align="center" bgcolor="#1c1c1e" class="button" style="border-radius:8px;background-color:#1c1c1e;mso-padding-alt:13px 26px"><a href="{{ invitation_url }}" class="button-label" style="display:inline-block;padding:13px 26px;border-radius:8px;mso-padding-alt:0;color:#ffffff;font-size:16px;line-height:24px;font-weight:600;text-decoration:none">Open the invitation</a></td></tr></table><!--{#end#}--><p class="text muted html-only" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">If the button does not work, copy this address into your browser:</p><p class="text address html-only" style="color:#1c1c1e;overflow-wrap:break-word;margin:0 0 20px;font-size:14px;line-height:20px;word-break:break-all"><a href="{{ invitation_url }}" class="link" style="color:#0b57d0;text-decoration:underline">{{ invitation_url }}</a></p><!--{#when link_lifetime#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">This invitation works for {{ link_lifetime }}.</p><!--{#end#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">If you do not know who invited you, ignore this email. Nothing happens until you accept, and the invitation is meant for you alone.</p></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

{{ inviter_name|default:"A colleague" }} invited you to {{ company_name|default:"the team" }}

Open the invitation to see what it gives you access to, and accept it there.

when company_nameCompany: {{ company_name }}endwhen inviter_name
Invited by: {{ inviter_name }}endwhen recipient_email
Email address: {{ recipient_email }}end

linked {{ invitation_url }}Open the invitation: {{ invitation_url }}endwhen link_lifetime

This invitation works for {{ link_lifetime }}.end

If you do not know who invited you, ignore this email. Nothing happens until you accept, and the invitation is meant for you alone.

when company_nameSent by {{ company_name }}end', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('eae5b529bc032d2cd25bcfd60715cf0859192a42353cea661f8bb8aa884b934d', 'identity.user.invited', 'fr', '{{ inviter_name|default:"Quelqu’un" }} vous invite à rejoindre {{ company_name|default:"l’équipe" }}', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>{{ inviter_name|default:&quot;Quelqu’un&quot; }} vous invite à rejoindre {{ company_name|default:&quot;l’équipe&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Ouvrez l’invitation pour rejoindre {{ company_name|default:&quot;l’équipe&quot; }} avec cette adresse.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">{{ inviter_name|default:&quot;Quelqu’un&quot; }} vous invite à rejoindre {{ company_name|default:&quot;l’équipe&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Ouvrez l’invitation pour voir les accès qu’elle vous donne, et acceptez-la sur la page qui s’ouvre.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when inviter_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Invitation de : {{ inviter_name }}</p><!--{#end#}--><!--{#when recipient_email#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Adresse e-mail : {{ recipient_email }}</p><!--{#end#}--></div><!--{#linked {{ invitation_url }}#}--><table role="presentation" border="0" cellpadding="0" cellspacing="0" class="button-table" style="margin:0 0 20px"><tr><td align="center" bgcolor="#1c1c1e" class="button" style="border-radius:8px;background-color:#1c1c1e;mso-padding-alt:13px 26px"><a href="{{ invitation_url }}" class="button-label" style="display:inline-block;padding:13px 26px;border-radius:8px;mso-padding-alt:0;color:#ffffff;font-size:16px;line-height:24px;font-weight:600;text-decoration:none">Ouvrir l’invitation</a></td></tr></table><!--{#end#}--><p class="text muted html-only" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur :</p><p class="text address html-only" style="color:#1c1c1e;overflow-wrap:break-word;margin:0 0 20px;font-size:14px;line-height:20px;word-break:break-all"><a href="{{ invitation_url }}" class="link" style="color:#0b57d0;text-decoration:underline">{{ invitation_url }}</a></p><!--{#when link_lifetime#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Cette invitation est valable {{ link_lifetime }}.</p><!--{#end#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Si vous ne savez pas qui vous invite, ignorez cet e-mail. Rien ne se passe tant que vous n’acceptez pas, et l’invitation n’est destinée qu’à vous.</p></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

{{ inviter_name|default:"Quelqu’un" }} vous invite à rejoindre {{ company_name|default:"l’équipe" }}

Ouvrez l’invitation pour voir les accès qu’elle vous donne, et acceptez-la sur la page qui s’ouvre.

when company_nameEntreprise : {{ company_name }}endwhen inviter_name
Invitation de : {{ inviter_name }}endwhen recipient_email
Adresse e-mail : {{ recipient_email }}end

linked {{ invitation_url }}Ouvrir l’invitation : {{ invitation_url }}endwhen link_lifetime

Cette invitation est valable {{ link_lifetime }}.end

Si vous ne savez pas qui vous invite, ignorez cet e-mail. Rien ne se passe tant que vous n’acceptez pas, et l’invitation n’est destinée qu’à vous.

when company_nameEnvoyé par {{ company_name }}end', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('2a17ae9d21bb2a18870a2652859a158fd6a1d3d0329e2ea58f8a34ea696ad841', 'identity.user.updated', 'en', 'Profile details changed at {{ company_name|default:"your company" }}', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Profile details changed at {{ company_name|default:&quot;your company&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Open the profile to check that the new details are right.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Profile details changed at {{ company_name|default:&quot;your company&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Open the profile to check that the new details are right.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when recipient_email#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Email address: {{ recipient_email }}</p><!--{#end#}--><!--{#when changed_fields#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Changed fields: {{ changed_fields }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Profile details changed at {{ company_name|default:"your company" }}

Open the profile to check that the new details are right.

when company_nameCompany: {{ company_name }}endwhen recipient_email
Email address: {{ recipient_email }}endwhen changed_fields
Changed fields: {{ changed_fields }}end

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('ccb26c06548b6dcc58674152c608795b042ae1e67929ee3273b586cd0f2d768d', 'identity.user.updated', 'fr', 'Modification d’un profil chez {{ company_name|default:"vous" }}', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Modification d’un profil chez {{ company_name|default:&quot;vous&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Ouvrez le profil pour vérifier que les nouvelles informations sont exactes.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Modification d’un profil chez {{ company_name|default:&quot;vous&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Ouvrez le profil pour vérifier que les nouvelles informations sont exactes.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when recipient_email#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Adresse e-mail : {{ recipient_email }}</p><!--{#end#}--><!--{#when changed_fields#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Champs modifiés : {{ changed_fields }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Ne plus recevoir ces e-mails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Modification d’un profil chez {{ company_name|default:"vous" }}

Ouvrez le profil pour vérifier que les nouvelles informations sont exactes.

when company_nameEntreprise : {{ company_name }}endwhen recipient_email
Adresse e-mail : {{ recipient_email }}endwhen changed_fields
Champs modifiés : {{ changed_fields }}end

when company_nameEnvoyé par {{ company_name }}endwhen system.unsubscribe_url

Ne plus recevoir ces e-mailslinked {{ system.unsubscribe_url }} : {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('495038e50135216d614856ec0f7f3d513fb7bcb5ad3798fa9a40c2f98ce6722e', 'storage.bucket.created', 'en', 'File storage is ready for {{ company_name|default:"your company" }}', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>File storage is ready for {{ company_name|default:&quot;your company&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">You and your colleagues can add files from now on.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">File storage is ready for {{ company_name|default:&quot;your company&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">You and your colleagues can add files from now on.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when bucket_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Storage: {{ bucket_name }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

File storage is ready for {{ company_name|default:"your company" }}

You and your colleagues can add files from now on.

when company_nameCompany: {{ company_name }}endwhen bucket_name
Storage: {{ bucket_name }}end

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('3da2b1f4297fa791fa3a4a76a2813317169f19a8c556d1f1906dda75f0ff6e70', 'storage.bucket.created', 'fr', 'L’espace de fichiers est prêt pour {{ company_name|default:"votre entreprise" }}', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>L’espace de fichiers est prêt pour {{ company_name|default:&quot;votre entreprise&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Vous et vos collègues pouvez y ajouter des fichiers dès maintenant.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">L’espace de fichiers est prêt pour {{ company_name|default:&quot;votre entreprise&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Vous et vos collègues pouvez y ajouter des fichiers dès maintenant.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when bucket_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Espace : {{ bucket_name }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Ne plus recevoir ces e-mails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

L’espace de fichiers est prêt pour {{ company_name|default:"votre entreprise" }}

Vous et vos collègues pouvez y ajouter des fichiers dès maintenant.

when company_nameEntreprise : {{ company_name }}endwhen bucket_name
Espace : {{ bucket_name }}end

when company_nameEnvoyé par {{ company_name }}endwhen system.unsubscribe_url

Ne plus recevoir ces e-mailslinked {{ system.unsubscribe_url }} : {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('bb2346363fdee890624b5ca1bc3814f54ba5849de0c54e0e58a67d6dc1a4399d', 'storage.object.deleted', 'en', 'File deleted: {{ path|default:"unnamed" }}', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>File deleted: {{ path|default:&quot;unnamed&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Add the file again if it was deleted by mistake.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">File deleted: {{ path|default:&quot;unnamed&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Add the file again if it was deleted by mistake.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when bucket_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Storage: {{ bucket_name }}</p><!--{#end#}--><!--{#when path#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">File: {{ path }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

File deleted: {{ path|default:"unnamed" }}

Add the file again if it was deleted by mistake.

when company_nameCompany: {{ company_name }}endwhen bucket_name
Storage: {{ bucket_name }}endwhen path
File: {{ path }}end

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('b48dec0fd13f4d6645831373fbf3b2e7bf0497c764ed0dc96a89ef977d4df5ae', 'storage.object.deleted', 'fr', 'Fichier supprimé : {{ path|default:"sans nom" }}', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Fichier supprimé : {{ path|default:&quot;sans nom&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Ajoutez de nouveau le fichier s’il a été supprimé par erreur.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Fichier supprimé : {{ path|default:&quot;sans nom&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Ajoutez de nouveau le fichier s’il a été supprimé par erreur.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when bucket_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Espace : {{ bucket_name }}</p><!--{#end#}--><!--{#when path#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Fichier : {{ path }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Ne plus recevoir ces e-mails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Fichier supprimé : {{ path|default:"sans nom" }}

Ajoutez de nouveau le fichier s’il a été supprimé par erreur.

when company_nameEntreprise : {{ company_name }}endwhen bucket_name
Espace : {{ bucket_name }}endwhen path
Fichier : {{ path }}end

when company_nameEnvoyé par {{ company_name }}endwhen system.unsubscribe_url

Ne plus recevoir ces e-mailslinked {{ system.unsubscribe_url }} : {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('344d673e8a81d62603cc8c5b132b11e796a53b4197f5aa3e5d20ad5aab3fb49b', 'storage.object.uploaded', 'en', 'File added: {{ path|default:"unnamed" }}', '<!doctype html>
<html lang="en" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>File added: {{ path|default:&quot;unnamed&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Open the file storage to read the file or to share it.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="en" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">File added: {{ path|default:&quot;unnamed&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Open the file storage to read the file or to share it.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Company: {{ company_name }}</p><!--{#end#}--><!--{#when bucket_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Storage: {{ bucket_name }}</p><!--{#end#}--><!--{#when path#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">File: {{ path }}</p><!--{#end#}--><!--{#when mime_type#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Type: {{ mime_type }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Sent by {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Stop these emails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

File added: {{ path|default:"unnamed" }}

Open the file storage to read the file or to share it.

when company_nameCompany: {{ company_name }}endwhen bucket_name
Storage: {{ bucket_name }}endwhen path
File: {{ path }}endwhen mime_type
Type: {{ mime_type }}end

when company_nameSent by {{ company_name }}endwhen system.unsubscribe_url

Stop these emailslinked {{ system.unsubscribe_url }}: {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
--> statement-breakpoint
INSERT INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
VALUES ('a591d2fe98d82597f4e85fa826ab6ad7113510c1f845673bde74b1f2fb725884', 'storage.object.uploaded', 'fr', 'Fichier ajouté : {{ path|default:"sans nom" }}', '<!doctype html>
<html lang="fr" dir="ltr" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>Fichier ajouté : {{ path|default:&quot;sans nom&quot; }}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}.heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}.button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}.column{display:block!important;width:100%!important}}
@media (prefers-color-scheme:dark){.page{background-color:#121214!important;color:#f2f2f4!important}.panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}.text,.heading,.brand,.item{color:#f2f2f4!important}.line,.muted{color:#b9b9c0!important}.link{color:#8ab4f8!important}.code,.preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}.button{background-color:#f2f2f4!important}.button-label{color:#121214!important}.rule,.quote{border-color:#3a3a40!important}}
[data-ogsc] .page{background-color:#121214!important;color:#f2f2f4!important}[data-ogsc] .panel{background-color:#1c1c1f!important;border-color:#3a3a40!important}[data-ogsc] .text,[data-ogsc] .heading,[data-ogsc] .brand,[data-ogsc] .item{color:#f2f2f4!important}[data-ogsc] .line,[data-ogsc] .muted{color:#b9b9c0!important}[data-ogsc] .link{color:#8ab4f8!important}[data-ogsc] .code,[data-ogsc] .preformatted{background-color:#2b2b30!important;color:#f2f2f4!important}[data-ogsc] .button{background-color:#f2f2f4!important}[data-ogsc] .button-label{color:#121214!important}[data-ogsc] .rule,[data-ogsc] .quote{border-color:#3a3a40!important}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent">Ouvrez l’espace de fichiers pour lire le fichier ou le partager.&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:-apple-system,BlinkMacSystemFont,&#39;Segoe UI&#39;,Roboto,Helvetica,Arial,sans-serif;width:100%;table-layout:fixed"><tr><td align="center" lang="fr" dir="ltr">
<!--[if mso]><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="600"><tr><td><![endif]--><table role="presentation" border="0" cellpadding="0" cellspacing="0" align="center" width="100%" style="width:100%;table-layout:fixed;max-width:600px;margin:0 auto"><tr><td align="left" class="container" style="padding:32px 16px"><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="header" style="padding:0 4px 16px"><!--{#when company_name#}--><p class="text brand" style="overflow-wrap:break-word;margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e">{{ company_name }}</p><!--{#end#}--></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="panel" style="padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff"><h1 class="heading" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word">Fichier ajouté : {{ path|default:&quot;sans nom&quot; }}</h1><p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word">Ouvrez l’espace de fichiers pour lire le fichier ou le partager.</p><div class="details" style="margin:0 0 20px"><!--{#when company_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Entreprise : {{ company_name }}</p><!--{#end#}--><!--{#when bucket_name#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Espace : {{ bucket_name }}</p><!--{#end#}--><!--{#when path#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Fichier : {{ path }}</p><!--{#end#}--><!--{#when mime_type#}--><p class="text line" style="overflow-wrap:break-word;margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52">Type : {{ mime_type }}</p><!--{#end#}--></div></td></tr></table><table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" style="width:100%;table-layout:fixed;border-collapse:separate"><tr><td align="left" class="footer" style="padding:20px 4px 0"><!--{#when company_name#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64">Envoyé par {{ company_name }}</p><!--{#end#}--><!--{#when system.unsubscribe_url#}--><p class="text muted" style="overflow-wrap:break-word;margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64"><a href="{{ system.unsubscribe_url }}" class="link" style="color:#0b57d0;text-decoration:underline">Ne plus recevoir ces e-mails</a></p><!--{#end#}--></td></tr></table></td></tr></table><!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
', 'when company_name{{ company_name }}end

Fichier ajouté : {{ path|default:"sans nom" }}

Ouvrez l’espace de fichiers pour lire le fichier ou le partager.

when company_nameEntreprise : {{ company_name }}endwhen bucket_name
Espace : {{ bucket_name }}endwhen path
Fichier : {{ path }}endwhen mime_type
Type : {{ mime_type }}end

when company_nameEnvoyé par {{ company_name }}endwhen system.unsubscribe_url

Ne plus recevoir ces e-mailslinked {{ system.unsubscribe_url }} : {{ system.unsubscribe_url }}endend', unixepoch() * 1000, 1)
ON CONFLICT (checksum) DO UPDATE SET current = 1;
