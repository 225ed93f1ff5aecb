import type { HostileInput, HostileTarget, Question } from './hostile-input.ts'

const mebibyte = 1_048_576
/** As much of a text, again and again, as a body may have. */
const filled = (text: string, length: number) =>
  text.repeat(Math.ceil(length / text.length)).slice(0, length)
const asks = (name: string, question: Question): HostileInput => ({
  name,
  send: (target) => target.ask(question),
})
const many = <Item>(count: number, make: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => make(index))
const query = (text: string) => encodeURIComponent(text)

const searches: HostileInput[] = [
  ...['!', '(', '+', '"', 'a:', 'a"', ' ', 'ids:', '!"', ')(', 'or '].map((text) =>
    asks(`search of 60,000 ${text}`, {
      path: `/api/twigTemplates?search=${query(`${filled(text, 60_000)}a`)}`,
    }),
  ),
  asks('search of ten long words', {
    path: `/api/twigTemplates?search=${many(10, () => 'b'.repeat(4_000)).join('+or+')}`,
  }),
  asks('search of as many words as there may be', {
    path: `/api/twigTemplates?search=${many(20, () => `${'a'.repeat(199)}b`).join('+or+')}`,
  }),
  asks('like with as many wildcards as there may be', {
    path: `/api/twigTemplates?where[0][col]=description&where[0][expr]=like&where[0][val]=${query('%a'.repeat(100))}`,
  }),
  asks('like of 100,000 backslashes', {
    path: `/api/emails?where[0][col]=name&where[0][expr]=like&where[0][val]=${filled('\\', 80_000)}a`,
  }),
  asks('20,000 clauses', {
    path: `/api/users?${many(8_000, (each) => `where[${each}][col]=x`).join('&')}`,
  }),
  asks('order by 100,000 fields', { path: `/api/contacts?orderBy=${'x,'.repeat(100_000)}` }),
  asks('nested brackets in a query', { path: `/api/contacts?${'a['.repeat(40_000)}` }),
  ...['search', 'recipient', 'transport', 'member'].map((name) =>
    asks(`deliveries by a ${name} of 60,000 characters`, {
      path: `/api/deliveries?${name}=${'a'.repeat(60_000)}`,
    }),
  ),
  asks('deletion of 10,000 ids', {
    method: 'DELETE',
    path: `/api/contacts/batch/delete?ids=${many(10_000, (each) => 1_000_000 + each).join()}`,
  }),
]

const heads: HostileInput[] = [
  asks('Authorization of 200,000 characters', {
    path: '/api/users',
    headers: { authorization: `Basic ${'a'.repeat(200_000)}` },
  }),
  asks('Bearer of 200,000 characters', {
    path: '/api/users',
    headers: { authorization: `Bearer ${'a.'.repeat(100_000)}` },
  }),
  asks('50,000 cookies', {
    path: '/oauth/v2/authorize?client_id=1',
    headers: { cookie: 'a=b; '.repeat(40_000) },
  }),
  asks('If-Match of 60,000 tags', {
    method: 'DELETE',
    path: '/api/contacts/99/delete',
    headers: { 'if-match': '"1",'.repeat(50_000) },
  }),
  asks('Idempotency-Key of 200,000 characters', {
    method: 'POST',
    path: '/api/emails/1/send',
    body: { contactIds: [1] },
    headers: { 'idempotency-key': 'k'.repeat(200_000) },
  }),
  asks('a token request of the largest size', {
    method: 'POST',
    path: '/oauth/v2/token',
    body: filled('scope=a+b&', 65_000),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }),
]

const batch = (path: string, body: unknown): Question => ({ method: 'POST', path, body })
const form = { 'content-type': 'application/x-www-form-urlencoded' }

const bodies: HostileInput[] = [
  asks('JSON nested 8 million deep', batch('/api/contacts/batch/new', '['.repeat(8 * mebibyte))),
  asks('JSON of nested objects', batch('/api/contacts/batch/new', filled('{"a":', 16 * mebibyte))),
  asks(
    'JSON of 8 million numbers',
    batch('/api/contacts/batch/new', `[${filled('1,', 15 * mebibyte)}1]`),
  ),
  asks(
    'JSON of 16 MiB of escapes',
    batch('/api/contacts/batch/new', `["${filled('\\u0041', 15 * mebibyte - 4)}"]`),
  ),
  asks(
    'JSON of a million keys',
    batch('/api/contacts/batch/new', `{${many(900_000, (each) => `"k${each}":1`).join()}}`),
  ),
  asks('JSON of blanks', batch('/api/contacts/batch/new', filled(' ', 15 * mebibyte))),
  asks('a form of a megabyte of brackets', {
    ...batch('/api/contacts/new', filled('a[b]=c&', mebibyte - 10)),
    headers: form,
  }),
  asks('a form of a megabyte of names', {
    ...batch('/api/contacts/new', many(90_000, (each) => `n${each}=1`).join('&')),
    headers: form,
  }),
  asks('a gzip body', {
    ...batch('/api/contacts/batch/new', Buffer.alloc(mebibyte)),
    headers: { 'content-encoding': 'gzip' },
  }),
  asks(
    '10,000 contacts',
    batch(
      '/api/contacts/batch/new',
      many(10_000, (each) => ({ email: `c${each}@example.com`, tags: ['a', 'b'] })),
    ),
  ),
  asks(
    '10,000 transports',
    batch(
      '/api/multipleTransports/batch/new',
      many(10_000, (each) => ({
        name: `t${each}`,
        mailerDsn: `smtp://u:p@h${each}.example.com?x=${'a'.repeat(100)}`,
      })),
    ),
  ),
  asks(
    'a DSN of a megabyte',
    batch('/api/multipleTransports/new', {
      name: 'd',
      mailerDsn: `failover(${filled('smtp://a ', 900_000)})`,
    }),
  ),
  asks(
    'a DSN of brackets',
    batch('/api/multipleTransports/new', { name: 'd', mailerDsn: filled('failover(', 60_000) }),
  ),
  asks(
    '16 MiB of templates',
    batch(
      '/api/twigTemplates/batch/new?fields=id',
      many(260, (each) => ({ name: `b${each}`, template: filled('{{ a|upper }}', 60_000) })),
    ),
  ),
  asks(
    '16 MiB of templates, all or nothing',
    batch(
      '/api/twigTemplates/batch/new?atomic=1',
      many(16, (each) => ({ name: `b${each}`, template: filled('{{ a|upper }}', 900_000) })),
    ),
  ),
  asks(
    'templates that include each other',
    batch(
      '/api/twigTemplates/batch/new',
      many(300, (each) => ({
        name: `i${each}`,
        template: many(300, (other) => `{% include "i${other}" %}`).join(''),
      })),
    ),
  ),
  asks(
    'a template that includes 60,000',
    batch('/api/twigTemplates/new', {
      name: 'wide',
      template: many(50_000, (each) => `{%include'${each}'%}`).join(''),
    }),
  ),
  asks(
    '50 Twig emails',
    batch(
      '/api/emails/batch/new',
      many(50, () => ({
        name: 'e',
        subject: 's',
        isTwig: true,
        customHtml: filled('{{ a|upper }}', 300_000),
      })),
    ),
  ),
]

/** Sends an email that is HTML only to a contact, so that its text is made from it. */
const email = (name: string, customHtml: string, more: object = {}): HostileInput => ({
  name,
  async send(target) {
    const id = await saveEmail(target, { customHtml, ...more })
    return target.ask(batch(`/api/emails/${id}/contact/1/send`, {}))
  },
})

async function saveEmail(target: HostileTarget, values: object): Promise<number> {
  const body = { name: 'hostile', subject: 's', ...values }
  const { text } = await target.ask(batch('/api/emails/new', body))
  return JSON.parse(text).email.id
}

const nested = '<blockquote>'.repeat(60_000) + '<p>x'.repeat(60_000)
const emails: HostileInput[] = [
  email('60,000 nested quotes', nested),
  ...[
    '<p>x',
    '<hr>',
    '<ul><li>',
    '<',
    '</',
    '<a href="',
    "<a ='",
    '<b hidden>',
    '<pre>\n',
    ' \u200b',
    '&#',
    '<!--',
    '<script>',
    '{contactfield=',
    '%7bcontactfield=',
    '{twigtemplate=1}',
    '\r',
  ].map((text) => email(`an email of ${JSON.stringify(text)}`, filled(text, 300_000))),
  email(
    'a Twig email that loops',
    '{% for a in 1..1000 %}{% for b in 1..1000 %}<blockquote>{{ a * b }}{% endfor %}{% endfor %}',
    { isTwig: true },
  ),
  email('a long subject', 'x', { subject: filled('{contactfield=a|ä}', 180) }),
  {
    name: 'an email with 1,000 tokens of its own',
    async send(target) {
      const id = await saveEmail(target, { customHtml: filled(`{${'a'.repeat(99)}`, 900_000) })
      const tokens = Object.fromEntries(many(5_000, (each) => [`{${'a'.repeat(100)}${each}}`, 'x']))
      return target.ask(batch(`/api/emails/${id}/contact/1/send`, { tokens }))
    },
  },
  {
    name: 'the impact of a template on nested quotes',
    async send(target) {
      const saved = await target.ask(
        batch('/api/twigTemplates/new', { name: 'used', template: 'x' }),
      )
      const { id } = JSON.parse(saved.text).twigTemplate
      for (let each = 0; each < 5; each++)
        await saveEmail(target, { customHtml: `${nested}{twigtemplate=${id}}` })
      return target.ask(batch(`/api/twigTemplates/${id}/impact`, { template: 'y' }))
    },
  },
]

/** What is sent over HTTP. Each is within the limits of bodies and heads. */
export const httpInputs: readonly HostileInput[] = [...searches, ...heads, ...bodies, ...emails]
