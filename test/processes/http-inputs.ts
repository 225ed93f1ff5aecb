import type { HostileInput, HostileTarget, Question } from './hostile-input.ts'

const mebibyte = 1_048_576
/** As much of a text, again and again, as a body may have. */
const filled = (text: string, length: number) =>
  text.repeat(Math.ceil(length / text.length)).slice(0, length)
/** Requests by their names. */
const requests = (questions: Readonly<Record<string, Question>>): HostileInput[] =>
  Object.entries(questions).map(([name, question]) => ({
    name,
    send: (target) => target.ask(question),
  }))
/** GET requests by their names. */
const reads = (paths: Readonly<Record<string, string>>): HostileInput[] =>
  requests(mapValues(paths, (path) => ({ path })))
/** POST requests to one path, by their names. */
const posts = (path: string, bodies: Readonly<Record<string, unknown>>): HostileInput[] =>
  requests(mapValues(bodies, (body) => batch(path, body)))
function mapValues<From, To>(values: Readonly<Record<string, From>>, change: (value: From) => To) {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]))
}
const many = <Item>(count: number, make: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => make(index))
const query = (text: string) => encodeURIComponent(text)

const batch = (path: string, body: unknown): Question => ({ method: 'POST', path, body })
const form = { 'content-type': 'application/x-www-form-urlencoded' }

const searches: HostileInput[] = [
  ...['!', '(', '+', '"', 'a:', 'a"', ' ', 'ids:', '!"', ')(', 'or '].flatMap((text) =>
    reads({
      [`search of 60,000 ${text}`]: `/api/twigTemplates?search=${query(`${filled(text, 60_000)}a`)}`,
    }),
  ),
  ...reads({
    'search of ten long words': `/api/twigTemplates?search=${many(10, () => 'b'.repeat(4_000)).join('+or+')}`,
    'search of as many words as there may be': `/api/twigTemplates?search=${many(20, () => `${'a'.repeat(199)}b`).join('+or+')}`,
    'like with as many wildcards as there may be': `/api/twigTemplates?where[0][col]=description&where[0][expr]=like&where[0][val]=${query('%a'.repeat(100))}`,
    'like of 100,000 backslashes': `/api/emails?where[0][col]=name&where[0][expr]=like&where[0][val]=${filled('\\', 80_000)}a`,
    '20,000 clauses': `/api/users?${many(8_000, (each) => `where[${each}][col]=x`).join('&')}`,
    'order by 100,000 fields': `/api/contacts?orderBy=${'x,'.repeat(100_000)}`,
    'nested brackets in a query': `/api/contacts?${'a['.repeat(40_000)}`,
  }),
  ...['search', 'recipient', 'transport', 'member'].flatMap((name) =>
    reads({
      [`deliveries by a ${name} of 60,000 characters`]: `/api/deliveries?${name}=${'a'.repeat(60_000)}`,
    }),
  ),
  ...requests({
    'deletion of 10,000 ids': {
      method: 'DELETE',
      path: `/api/contacts/batch/delete?ids=${many(10_000, (each) => 1_000_000 + each).join()}`,
    },
  }),
]

const heads = requests({
  'Authorization of 200,000 characters': {
    path: '/api/users',
    headers: { authorization: `Basic ${'a'.repeat(200_000)}` },
  },
  'Bearer of 200,000 characters': {
    path: '/api/users',
    headers: { authorization: `Bearer ${'a.'.repeat(100_000)}` },
  },
  '50,000 cookies': {
    path: '/oauth/v2/authorize?client_id=1',
    headers: { cookie: 'a=b; '.repeat(40_000) },
  },
  'If-Match of 60,000 tags': {
    method: 'DELETE',
    path: '/api/contacts/99/delete',
    headers: { 'if-match': '"1",'.repeat(50_000) },
  },
  'Idempotency-Key of 200,000 characters': {
    ...batch('/api/emails/1/send', { contactIds: [1] }),
    headers: { 'idempotency-key': 'k'.repeat(200_000) },
  },
  'a token request of the largest size': {
    ...batch('/oauth/v2/token', filled('scope=a+b&', 65_000)),
    headers: form,
  },
})

const bodies: HostileInput[] = [
  ...posts('/api/contacts/batch/new', {
    'JSON nested 8 million deep': '['.repeat(8 * mebibyte),
    'JSON of nested objects': filled('{"a":', 16 * mebibyte),
    'JSON of 8 million numbers': `[${filled('1,', 15 * mebibyte)}1]`,
    'JSON of 16 MiB of escapes': `["${filled('\\u0041', 15 * mebibyte - 4)}"]`,
    'JSON of a million keys': `{${many(900_000, (each) => `"k${each}":1`).join()}}`,
    'JSON of blanks': filled(' ', 15 * mebibyte),
  }),
  ...requests({
    'a form of a megabyte of brackets': {
      ...batch('/api/contacts/new', filled('a[b]=c&', mebibyte - 10)),
      headers: form,
    },
    'a form of a megabyte of names': {
      ...batch('/api/contacts/new', many(90_000, (each) => `n${each}=1`).join('&')),
      headers: form,
    },
    'a gzip body': {
      ...batch('/api/contacts/batch/new', Buffer.alloc(mebibyte)),
      headers: { 'content-encoding': 'gzip' },
    },
  }),
  ...posts('/api/contacts/batch/new', {
    '10,000 contacts': many(10_000, (each) => ({
      email: `c${each}@example.com`,
      tags: ['a', 'b'],
    })),
  }),
  ...posts('/api/multipleTransports/batch/new', {
    '10,000 transports': many(10_000, (each) => ({
      name: `t${each}`,
      mailerDsn: `smtp://u:p@h${each}.example.com?x=${'a'.repeat(100)}`,
    })),
  }),
  ...posts('/api/multipleTransports/new', {
    'a DSN of a megabyte': { name: 'd', mailerDsn: `failover(${filled('smtp://a ', 900_000)})` },
    'a DSN of brackets': { name: 'd', mailerDsn: filled('failover(', 60_000) },
  }),
  ...posts('/api/twigTemplates/batch/new?fields=id', {
    '16 MiB of templates': many(260, (each) => ({
      name: `b${each}`,
      template: filled('{{ a|upper }}', 60_000),
    })),
  }),
  ...posts('/api/twigTemplates/batch/new?atomic=1', {
    '16 MiB of templates, all or nothing': many(16, (each) => ({
      name: `b${each}`,
      template: filled('{{ a|upper }}', 900_000),
    })),
  }),
  ...posts('/api/twigTemplates/batch/new', {
    'templates that include each other': many(300, (each) => ({
      name: `i${each}`,
      template: many(300, (other) => `{% include "i${other}" %}`).join(''),
    })),
  }),
  ...posts('/api/twigTemplates/new', {
    'a template that includes 60,000': {
      name: 'wide',
      template: many(50_000, (each) => `{%include'${each}'%}`).join(''),
    },
  }),
  ...posts('/api/emails/batch/new', {
    '50 Twig emails': many(50, () => ({
      name: 'e',
      subject: 's',
      isTwig: true,
      customHtml: filled('{{ a|upper }}', 300_000),
    })),
  }),
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
