/** A realistic newsletter of some 10 KB: layout in tables, a few fields of the contact, one template. */
export function newsletter(templateId: number): { subject: string; html: string; text: string } {
  const article = (index: number) => `
<tr><td style="padding:24px 32px;font-family:Helvetica,Arial,sans-serif;font-size:16px;line-height:24px;color:#1a1a1a">
<h2 style="margin:0 0 12px;font-size:20px;line-height:28px">What is new in week ${index}</h2>
<p style="margin:0 0 16px">${'The garden shows what it can do at this time of the year, and so do we. '.repeat(6)}</p>
<p style="margin:0"><a href="https://shop.example.com/articles/${index}?utm_source=newsletter&amp;utm_medium=email" style="color:#0057b8">Read on</a></p>
</td></tr>`
  const articles = Array.from({ length: 12 }, (_, index) => article(index + 1)).join('')
  return {
    subject: 'News for {{ contact.firstname|default("you") }}',
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>News</title></head>
<body style="margin:0;padding:0;background:#f4f4f4"><table role="presentation" width="100%" cellpadding="0" cellspacing="0">
<tr><td style="padding:32px"><h1>Good morning, {{ contact.firstname|default("dear reader") }}!</h1>
{% if contact.city %}<p>What happens around {{ contact.city }}:</p>{% endif %}
{twigtemplate=${templateId}}</td></tr>${articles}
<tr><td style="padding:32px;font-size:12px;color:#666">You get this at {contactfield=email}.
<a href="https://example.com/unsubscribe?c={contactfield=email|true}">Unsubscribe</a></td></tr>
</table></body></html>`,
    text: `Good morning, {{ contact.firstname|default("dear reader") }}!
{% if contact.city %}What happens around {{ contact.city }}:{% endif %}

${'The garden shows what it can do at this time of the year, and so do we.\n'.repeat(20)}
You get this at {contactfield=email}.
`,
  }
}

/** The source of its template: a greeting that depends on the contact. */
export const newsletterTemplate = `{% set tier = contact.points > 50 ? "gold" : "silver" %}
<p class="{{ tier }}">You have {{ contact.points }} points{% if contact.points > 50 %}: thank you{% endif %}.</p>
{% for tag in contact.tags %}<span>{{ tag|upper }}</span>{% endfor %}`
