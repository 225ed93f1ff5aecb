import type { HostileInput, HostileTarget, Question } from './hostile-input.ts'

const batchRows = 10_000
const messageBytes = 24_000_000
const many = <Item>(count: number, make: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => make(index))
const asks = (name: string, question: Question): HostileInput => ({
  name,
  send: (target) => target.ask(question),
})
const post = (path: string, body: unknown): Question => ({ method: 'POST', path, body })

/** Stores what the inputs below read: so many contacts and suppressions, 300 templates with text, a large email and a captured message. */
export async function storeMuch(target: HostileTarget, rows: number): Promise<void> {
  for (let from = 0; from < rows; from += batchRows) {
    const contacts = many(batchRows, (each) => ({ email: `stored${from + each}@example.com` }))
    await target.ask(post('/api/contacts/batch/new?fields=id', contacts))
  }
  const lines = many(rows, (each) => `stored${each}@example.com`)
  await target.ask({
    ...post('/api/suppressions/import?reason=unsubscribed', `address\n${lines.join('\n')}\n`),
    headers: { 'content-type': 'text/csv' },
  })
  const description = 'a'.repeat(60_000)
  const templates = many(150, (each) => ({ name: `stored ${each}`, template: 'x', description }))
  await target.ask(post('/api/twigTemplates/batch/new?fields=id', templates))
  await target.ask(post('/api/twigTemplates/batch/new?fields=id', templates))
  await target.ask(
    post('/api/multipleTransports/new', { name: 'captured', mailerDsn: 'inbox://local' }),
  )
  const customHtml = `<p>${'x {contactfield=firstname} '.repeat(32_000)}</p>`
  const email = { name: 'large', subject: 's', customHtml }
  await target.ask({ method: 'PUT', path: '/api/emails/1/edit', body: email })
  const head = 'From: a@example.com\r\nTo: b@example.com\r\nX-Mailyard-Transport: captured\r\n\r\n'
  const line = `${'x'.repeat(98)}\r\n`
  const body = line.repeat(messageBytes / line.length)
  await target.submit(Buffer.from(`${head}${body}.\r\n`))
}

const notLike = many(
  20,
  (each) =>
    `where[${each}][col]=description&where[${each}][expr]=notLike&where[${each}][val]=%25a${each}%25`,
).join('&')
const faulty = (count: number) =>
  many(count, (each) => ({ name: `faulty ${each}`, template: '{% if %}{{ a|b }}'.repeat(500) }))
const nestedKeys = many(19_000, (each) => `a[b][c][${each}]=1`).join('&')
const nestedQuotes = '<blockquote>'.repeat(30_000)

/** What is slow where much is stored, and what is slow in great numbers. See `storeMuch`. */
export const storedInputs: readonly HostileInput[] = [
  asks('a list of all contacts', { path: '/api/contacts?limit=100000' }),
  asks('an export of all suppressions', { path: '/api/suppressions.csv' }),
  asks('a large email', { path: '/api/emails/1' }),
  asks('a small change of a large email', {
    method: 'PATCH',
    path: '/api/emails/1/edit',
    body: { subject: 'x' },
  }),
  asks('a captured message of 24 MB', { path: '/api/inbox/1' }),
  asks('the source of a captured message of 24 MB', { path: '/api/inbox/1/source' }),
  asks('a search of 20 words of 19 letters', {
    path: `/api/contacts?search=${many(20, (each) => `${'a'.repeat(17)}${each}`).join('+')}`,
  }),
  asks('a search of two words of 190 letters', {
    path: `/api/twigTemplates?search=${many(2, (each) => `${'a'.repeat(189)}${each}`).join('+or+')}`,
  }),
  asks('a search of one letter', { path: '/api/contacts?search=e&limit=1' }),
  asks('20 patterns that may not occur', { path: `/api/twigTemplates?${notLike}` }),
  asks('an order by name', { path: '/api/contacts?orderBy=name&orderByDir=DESC&limit=10' }),
  asks('1,600 faulty templates', post('/api/twigTemplates/batch/new', faulty(1_600))),
  asks('190,001 items', post('/api/contacts/batch/new', `[${'{},'.repeat(190_000)}{}]`)),
  asks('a form of 19,000 nested keys', {
    ...post('/api/contacts/new', nestedKeys),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }),
  asks(
    'a lint of a large template',
    post('/api/twigTemplates/lint', {
      template: '{{ a.b|upper }}{% if c %}{% endif %}'.repeat(9_000),
    }),
  ),
  asks(
    'a preview of nested quotes',
    post('/api/emails/preview', { email: { name: 'p', subject: 's', customHtml: nestedQuotes } }),
  ),
  asks('statistics of deliveries', { path: '/api/deliveries/stats' }),
]
