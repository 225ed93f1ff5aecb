import assert from 'node:assert/strict'
import { test } from 'node:test'
import PostalMime from 'postal-mime'
import { WorkQueue } from '../../../kit/work-queue.ts'
import { createTwig } from '../../../libraries/twig/index.ts'
import type { EmailRow } from '../table.ts'
import { composeEmail } from './compose-email.ts'
import { findEmailFaults } from './email-faults.ts'
import { renderEmail } from './email-renderer.ts'

// One template may take any time, so that the limit of the whole email is the one that stops.
const limits = { timeMs: 60_000 }
const engines = { html: createTwig({ limits }), text: createTwig({ limits, autoescape: false }) }
const templates = new Map([
  ['id:1', 'Hi {{ contact.firstname }} & co'],
  ['id:2', '{{ include("id:1") }}!'],
  ['id:9', '{% for a in 1..160 %}{% for b in 1..160 %}{% endfor %}{% endfor %}'],
])
const sources = {
  load: async () => ({ loader: templates }),
  referencesOf: () => [],
  variablesOf: () => [],
}
const contact = {
  id: 7,
  email: 'ann@example.com',
  firstname: 'Ann <b>',
  city: '',
  last_active: '2026-01-31 15:04:00',
}

const email: EmailRow = {
  id: 3,
  name: 'News',
  subject: 'Hello {contactfield=firstname|there}',
  from_address: 'news@brand.test',
  from_name: 'Brand, Inc. ✓',
  reply_to_address: 'help@brand.test',
  custom_html: null,
  plain_text: null,
  headers: '{}',
  is_twig: false,
  brand_id: 0,
  is_published: true,
  date_added: 0,
  date_modified: null,
  created_by: null,
  created_by_id: null,
  modified_by: null,
  modified_by_id: null,
  revision: 1,
  search_text: '',
}

/** No contact is read: each test gives its data. */
const readContact = () => assert.fail()

const work = new WorkQueue()
const options = { engines, sources, readContact, defaultFrom: 'x@y.test', links: undefined, work }
const to = { address: 'ann@example.com', name: 'Ann' }

const render = (change: Partial<EmailRow>, who: object = contact) =>
  renderEmail({ ...email, ...change }, { contact: who as Record<string, unknown>, to }, options)
const text = async (source: string, who?: object) =>
  (await render({ plain_text: source }, who)).text

test('a large email is rendered and examined in turns, a small one at once', async (t) => {
  const turn = t.mock.method(work, 'turn', async () => undefined)
  const turnsOf = async (html: string) => {
    turn.mock.resetCalls()
    await render({ custom_html: html })
    await findEmailFaults({ ...email, custom_html: html }, options)
    return turn.mock.callCount()
  }
  assert.equal(await turnsOf('<p>x'), 0)
  assert.equal(await turnsOf('<p>x'.repeat(5_000)), 5)
})

test("Mautic's contact tokens are replaced, with their fallback where the field is empty", async () => {
  assert.equal(await text('{contactfield=firstname}'), 'Ann <b>')
  assert.equal(await text('{ContactField=city|nowhere} {contactfield=city}'), 'nowhere ')
  assert.equal(await text('{contactfield=unknown|x}|{contactfield=constructor}'), 'x|')
  assert.equal(await text('%7Bcontactfield=firstname%7D'), 'Ann <b>')
  assert.equal(await text('{contactfield=email|true}'), 'ann%40example.com')
  const odd = { ...contact, city: 'D & "Q"*~ü' }
  assert.equal(await text('{contactfield=city|true}', odd), 'D+%26+%22Q%22%2A%7E%C3%BC')
  assert.equal(await text('{contactfield=last_active|date}'), 'January 31, 2026')
  assert.equal(await text('{contactfield=last_active|time}'), '3:04 pm')
  assert.equal(await text('{unsubscribe_url} {other=1}'), '{unsubscribe_url} {other=1}')
})

test('a contact token is escaped in HTML, once, and nowhere else', async () => {
  const evil = `"><script>alert('1')</script>&amp;`
  const escaped = '&quot;&gt;&lt;script&gt;alert(&#039;1&#039;)&lt;/script&gt;&amp;amp;'
  const sly = { ...contact, firstname: evil, city: 7 }
  const source =
    '<a title="{contactfield=firstname}">{contactfield=none|<b>you</b>}{contactfield=city}</a>'
  const wanted = `<a title="${escaped}"><b>you</b>7</a>`
  for (const isTwig of [false, true]) {
    const rendered = await render(
      {
        custom_html: source,
        plain_text: '{contactfield=firstname}',
        subject: '{contactfield=firstname}',
        from_name: '{contactfield=firstname}',
        headers: '{"X-Name":"{contactfield=firstname}"}',
        is_twig: isTwig,
      },
      sly,
    )
    assert.equal(rendered.html, wanted)
    const { subject, text, from, headers } = rendered
    assert.deepEqual([subject, text, from.name, headers['X-Name']], [evil, evil, evil, evil])
  }
  const twig = await render({ custom_html: '{{ contact.firstname }}', is_twig: true }, sly)
  assert.equal(twig.html, escaped)
  const derived = await render({ custom_html: '<p>{contactfield=firstname}</p>' }, sly)
  assert.equal(derived.text?.trim(), evil, 'the text that is made from the HTML is text')
})

test('no value of a contact begins a header', async () => {
  const value = 'Ann\r\nBcc: evil@x.test\r\n\r\n<b>\nX-Evil: 1\rX-More: 2\u0085X-Next: 3'
  const rendered = await render(
    {
      subject: 'Hello {contactfield=firstname}',
      from_name: '{contactfield=firstname}',
      headers: '{"X-Name":"{contactfield=firstname}"}',
      plain_text: 'x',
    },
    { ...contact, firstname: value },
  )
  const to = { address: 'ann@example.com', name: value }
  const identity = { messageId: '<a@b>', date: new Date(0), boundary: '=_x' }
  const { raw } = composeEmail({ ...rendered, to }, identity)
  const parsed = await PostalMime.parse(raw)
  const names = parsed.headers.map(({ key }) => key)
  for (const name of ['bcc', 'x-evil', 'x-more', 'x-next']) assert.ok(!names.includes(name), name)
  assert.equal(parsed.bcc, undefined)
  assert.equal(parsed.text?.trim(), 'x')
})

test('a token may begin within an unfinished token, and a long text of such beginnings is read fast', async () => {
  const nested = await text('%7bcontactfield=city%7bcontactfield=firstname%7d')
  assert.equal(nested, '%7bcontactfield=cityAnn <b>')
  const attemptStarts = '%7bcontactfield='.repeat(64_000)
  const rendered = await text(`${attemptStarts}{contactfield=firstname}`)
  assert.equal(rendered, `${attemptStarts}Ann <b>`)
})

test('tokens in the name of the sender are replaced too', async () => {
  const { from } = await render({ from_name: 'For {contactfield=firstname}' })
  assert.deepEqual(from, { address: 'news@brand.test', name: 'For Ann <b>' })
})

test('a template token renders with the contact, in subject, HTML, text and headers', async () => {
  const rendered = await render({
    subject: '{twigtemplate=1}',
    custom_html: '<p>{twigtemplate=2}</p>',
    plain_text: '{twigtemplate=2}',
    headers: '{"X-Greeting":"{twigtemplate=1}"}',
  })
  assert.equal(rendered.html, '<p>Hi Ann &lt;b&gt; & co!</p>')
  assert.equal(rendered.text, 'Hi Ann <b> & co!')
  assert.equal(rendered.subject, 'Hi Ann <b> & co')
  assert.equal(rendered.headers['X-Greeting'], 'Hi Ann <b> & co')
})

test('an unknown or malformed template token becomes nothing', async () => {
  assert.equal(await text('a{twigtemplate=99}b{twigtemplate=x}c'), 'abc')
  assert.equal(await text('{TwigTemplate=1}'), '{TwigTemplate=1}')
})

test("a token in a contact's own data stays text", async () => {
  const sly = { ...contact, firstname: '{twigtemplate=1}{contactfield=email}{{ 7*7 }}' }
  assert.equal(await text('{contactfield=firstname}', sly), sly.firstname)
  const twig = await render(
    { plain_text: '{contactfield=firstname} {{ contact.firstname }}', is_twig: true },
    sly,
  )
  assert.equal(twig.text, `${sly.firstname} ${sly.firstname}`)
})

test('an email that is Twig itself has contact and email, and its tokens still work', async () => {
  const rendered = await render({
    is_twig: true,
    subject: '{{ contact.firstname|upper }}',
    custom_html:
      '<b>{{ contact.firstname }}</b>{contactfield=city|X}{% if contact.id > 5 %} {{ email.name }}{% endif %}',
  })
  assert.equal(rendered.subject, 'ANN <B>')
  assert.equal(rendered.html, '<b>Ann &lt;b&gt;</b>X News')
})

test('a text is made from the HTML where none is given', async () => {
  const rendered = await render({
    custom_html:
      '<h1>Hi {contactfield=firstname}</h1><p>See <a href="https://b.test/x">this</a></p>',
  })
  assert.equal(rendered.text, 'Hi Ann <b>\n\nSee this [https://b.test/x]')
  const made = await render({ custom_html: '<p>{twigtemplate=1}</p>' })
  assert.equal(made.text, 'Hi Ann <b> & co')
})

test('a composed message parses to the same texts, in any script', async () => {
  const rendered = await render({
    subject: 'Grüße ✓ {contactfield=firstname}',
    custom_html: `<p>${'long lines and = signs ✓ '.repeat(40)}</p>`,
    plain_text: 'Grüße\n.\nFrom here\n',
    headers: '{"List-Unsubscribe":"<https://b.test/u>","Subject":"no","X-Evil":"a\\r\\nBcc: x@y"}',
  })
  const identity = { messageId: '<1@brand.test>', date: new Date(0), boundary: '=_b' }
  const { raw, envelope } = composeEmail(rendered, identity)
  assert.deepEqual(envelope, { from: 'news@brand.test', to: ['ann@example.com'] })
  assert.doesNotMatch(Buffer.from(raw).toString('latin1'), /[^\r]\n|\r[^\n]|[\x80-\xff]/)
  const read = await PostalMime.parse(raw)
  assert.equal(read.subject, rendered.subject)
  assert.equal(read.html?.trimEnd(), rendered.html)
  assert.equal(read.text?.replaceAll('\r\n', '\n').trimEnd(), rendered.text?.trimEnd())
  assert.deepEqual(read.from, { address: 'news@brand.test', name: 'Brand, Inc. ✓' })
  assert.equal(read.messageId, '<1@brand.test>')
  assert.equal(read.bcc, undefined)
  assert.equal(read.headers.filter(({ key }) => key === 'subject').length, 1)
})

test('many slow templates in one email are stopped, although each is within the limits of a template', async () => {
  assert.equal(await text('{twigtemplate=9}'), '')
  await assert.rejects(text('{twigtemplate=9}'.repeat(2_000)), /took longer than 500 ms/)
  const loop = templates.get('id:9') ?? ''
  const headers = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, each) => [`X-${each}`, loop]),
  )
  await assert.rejects(
    render({ is_twig: true, headers: JSON.stringify(headers) }),
    /took longer than 500 ms/,
  )
})
