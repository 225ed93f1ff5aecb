import assert from 'node:assert/strict'
import { test } from 'node:test'
import PostalMime from 'postal-mime'
import { readMauticMessages } from '../../../test/mautic-messages.ts'
import { WorkQueue } from '../../kit/work-queue.ts'
import { TooLargeToRender } from './find-tokens.ts'
import { encodeQuotedPrintable } from './quoted-printable.ts'
import { type RenderTemplate, readMessage } from './read-message.ts'
import { renderTokens } from './render-tokens.ts'
import { stepBytes } from './steps.ts'

const work = new WorkQueue()

const renderRaw = (raw: string | Buffer, value: RenderTemplate, sizeMax = 1e6) =>
  renderTokens(readMessage([Buffer.from(raw)]), value, { sizeMax, work })

const render = async (
  lines: readonly string[],
  value: string | RenderTemplate = (id, kind) => `[${kind} ${id}]`,
) => {
  const raw = Buffer.from(lines.join('\r\n'), 'latin1')
  const rendered = await renderRaw(raw, typeof value === 'string' ? () => value : value)
  return Buffer.concat(rendered.chunks).toString('latin1').split('\r\n')
}

const unchanged = async (lines: readonly string[]) =>
  assert.deepEqual(await render(lines, 'CHANGED'), lines)

const quoted = [
  'MIME-Version: 1.0',
  'Content-Type: text/html; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
]

test('a token that a soft line break splits is rendered, however its letters are escaped', async () => {
  const body = ['caf=C3=A9 {twi=', 'gtem=  ', 'plate=3D=', '1} =7Bt=77igtemplate=3D=31=7d']
  assert.deepEqual(await render([...quoted, ...body]), [...quoted, 'caf=C3=A9 [html 1] [html 1]'])
})

test('a large part is encoded in pieces, to the same bytes as in one', async () => {
  const line = `Gr=C3=BC=C3=9Fe =3D ${'x'.repeat(60)} {y} =\r\n an alle\r\n`
  const body = `${line.repeat(40_000)}{twigtemplate=3D1}\r\n${'=3D'.repeat(20_000)}`
  let turns = 0
  const count = () => {
    turns += 1
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  const raw = `${quoted.join('\r\n')}\r\n${body}`
  const rendered = await renderRaw(raw, () => '[value]', 50e6)
  clearImmediate(timer)
  assert.ok(turns >= 7, `${turns} turns`)
  const text = Buffer.concat(rendered.chunks).toString('latin1')
  const content = `${`Grüße = ${'x'.repeat(60)} {y}  an alle\r\n`.repeat(40_000)}[value]\r\n${'='.repeat(20_000)}`
  const expected = encodeQuotedPrintable(Buffer.from(content)).toString('latin1')
  assert.ok(text.endsWith(`\r\n\r\n${expected}`))
})

test('line ends of every kind are read in pieces as they are in one', async () => {
  const lines = ['a\n', 'b\r\n', 'c\r', '\n', '\r\n', '=\n', '=3D\r\n', '= \n', 'd']
  for (const [shift] of lines.entries()) {
    const body = `${'y'.repeat(stepBytes - shift)}${lines.join('').repeat(9)}{twigtemplate=3D1}`
    const rendered = await renderRaw(`${quoted.join('\r\n')}\r\n${body}`, () => 'z')
    const decoded = await PostalMime.parse(Buffer.concat(rendered.chunks))
    const expected = body
      .replaceAll(/= *\r?\n/g, '')
      .replaceAll('=3D', '=')
      .replace('{twigtemplate=1}', 'z')
    const lineEnds = (text: string) => text.replaceAll(/\r?\n/g, '\n').trimEnd()
    assert.equal(lineEnds(decoded.html ?? ''), lineEnds(expected))
  }
})

test('only template tokens are rendered: Mautic replaces the fields of contacts itself', async () => {
  await unchanged([...quoted, '{contactfield=3Dfirstname|you} {TwigTemplate=3D1} {twigtemplate}'])
})

test('a token without a number has no id', async () => {
  const asked: unknown[] = []
  const body = ['{twigtemplate=3D 12 } {twigtemplate=3Dx} {twigtemplate=3D}']
  const lines = await render([...quoted, ...body], (id) => `<${String(asked.push(id))}>`)
  assert.deepEqual(lines, [...quoted, '<1> <2> <2>'])
  assert.deepEqual(asked, [12, undefined])
})

test('the message says which templates it needs', () => {
  const lines = ['Subject: {twigtemplate=9}', '', '{twigtemplate=2}{twigtemplate=9}{twigtemplate=}']
  const message = readMessage([Buffer.from(lines.join('\r\n'))])
  assert.equal(message.holdsTokens, true)
  assert.deepEqual(message.templateIds, [9, 2])
})

test('tokens in a rendered template are not rendered', async () => {
  const rendered = await renderRaw('Subject: x\r\n\r\n{twigtemplate=1}', () => '{twigtemplate=2}')
  assert.equal(rendered.holdsTokens, false)
  assert.deepEqual(rendered.templateIds, [])
})

test('base64 stays base64, in lines, with the line end that it had', async () => {
  const head = ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: BASE64', '']
  const content = `${'long '.repeat(30)}{twigtemplate=1} ✓`
  const body = Buffer.from(content).toString('base64')
  const lines = await render([...head, body.slice(0, 70), body.slice(70), ''])
  const encoded = lines.slice(head.length)
  assert.deepEqual(lines.slice(0, head.length), head)
  assert.ok(encoded.every((line) => line.length <= 76))
  assert.equal(encoded.at(-1), '')
  const read = Buffer.from(encoded.join(''), 'base64').toString()
  assert.equal(read, content.replace('{twigtemplate=1}', '[text 1]'))
})

test('base64 with something after it is left alone: readers differ in where it ends', async () => {
  const body = Buffer.from('{twigtemplate=1}!').toString('base64')
  await unchanged(['Content-Transfer-Encoding: base64', '', body, '-- ', 'a footer'])
})

test('a part stays in its charset where the new letters are in it', async () => {
  const head = ['Content-Type: text/plain; charset="ISO-8859-1"', 'Content-Transfer-Encoding: 8bit']
  const lines = await render([...head, '', 'caf\xe9 {twigtemplate=1}'], 'né')
  assert.deepEqual(lines, [...head, '', 'caf\xe9 n\xe9'])
})

test('a part becomes UTF-8 where the new letters are not in its charset', async () => {
  const type = 'Content-Type: text/plain; x=y; Charset="iso-8859-1" ; format=fixed'
  const encoding = 'Content-Transfer-Encoding: quoted-printable'
  const lines = await render([type, encoding, '', 'caf=E9 {twigtemplate=3D1}'], '€')
  assert.deepEqual(lines, [
    'Content-Type: text/plain; x=y; Charset=utf-8 ; format=fixed',
    encoding,
    'MIME-Version: 1.0',
    '',
    'caf=C3=A9 =E2=82=AC',
  ])
})

test('a message without MIME becomes MIME where the new letters need it', async () => {
  const lines = await render(['Subject: x', '', 'Hi {twigtemplate=1}'], 'Zoë')
  assert.deepEqual(lines, [
    'Subject: x',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    'MIME-Version: 1.0',
    '',
    'Hi Zo=C3=AB',
  ])
})

test('a line too long for mail makes a part quoted-printable', async () => {
  const head = ['MIME-Version: 1.0', 'Content-Type: text/html; charset=utf-8']
  const lines = await render(
    [...head, 'Content-Transfer-Encoding: 8bit', '', '<p>{twigtemplate=1}</p>'],
    'x'.repeat(999),
  )
  assert.ok(lines.every((line) => line.length <= 76))
  const read = await PostalMime.parse(lines.join('\r\n'))
  assert.equal(read.html?.trim(), `<p>${'x'.repeat(999)}</p>`)
})

test('an unknown charset keeps its bytes, and takes ASCII only', async () => {
  const head = ['Content-Type: text/plain; charset=x-own', 'Content-Transfer-Encoding: 8bit', '']
  assert.deepEqual(await render([...head, '\xff {twigtemplate=1}'], 'ok'), [...head, '\xff ok'])
  const lines = [...head, '\xff {twigtemplate=1}']
  assert.deepEqual(await render(lines, 'é'), lines)
})

test('bytes that are invalid in their charset stay', async () => {
  const body = '=FF=C3 {twigtemplate=3D1} =ZZ ='
  assert.deepEqual(await render([...quoted, body], 'é'), [...quoted, '=FF=C3 =C3=A9 =3DZZ=20'])
})

test('what a template prints cannot begin another part', async () => {
  const part = ['Content-Type: text/plain', '', 'Hi {twigtemplate=1}']
  const encoded = ['Content-Transfer-Encoding: quoted-printable', ...part]
  const head = ['Content-Type: multipart/mixed; boundary=b', '']
  const message = [...head, '--b', ...part, '--b', ...encoded, '--b--', '']
  const name = 'Ann\r\n--b\r\nContent-Type: text/html\r\n\r\n<h1>Not from us</h1>'
  const lines = await render(message, name)
  assert.equal(lines.filter((line) => line.startsWith('--b')).length, 3)
  const read = await PostalMime.parse(lines.join('\r\n'))
  assert.equal(read.html, undefined)
  assert.equal(read.text?.match(/Hi Ann\n--b\nContent-Type/g)?.length, 2)
})

test('no line of an encoded part begins like a boundary, however many hyphens it has', async () => {
  const boundaries = ['x', '-x', 'x-', '--', 'xx']
  const texts = ['', 'x', 'x-', 'xx', ' x', `${'y'.repeat(80)}--x`, 'é']
  for (const boundary of boundaries)
    for (const encoding of ['8bit', 'quoted-printable'])
      for (let hyphens = 1; hyphens < 160; hyphens = hyphens < 8 ? hyphens + 1 : hyphens * 2 - 5) {
        // The last line, and the break of a long line, may be taken for a boundary too.
        const text = texts.map((each) => `${'-'.repeat(hyphens)}${each}`)
        const value = [...text, ...text.map((each) => 'z'.repeat(74) + each), ...text].join('\r\n')
        const lines = await render(
          [
            ...['MIME-Version: 1.0', `Content-Type: multipart/mixed; boundary="${boundary}"`, ''],
            ...[`--${boundary}`, `Content-Transfer-Encoding: ${encoding}`, ''],
            ...['{twigtemplate=1}', `--${boundary}--`, ''],
          ],
          value,
        )
        const message = `${boundary}, ${encoding}, ${hyphens} hyphens`
        const alike = lines.filter((line) => line.startsWith(`--${boundary}`))
        assert.deepEqual(alike, [`--${boundary}`, `--${boundary}--`], message)
        const isQuoted = lines.includes('Content-Transfer-Encoding: quoted-printable')
        assert.ok(!isQuoted || Math.max(...lines.map(({ length }) => length)) <= 76, message)
        const read = await PostalMime.parse(Buffer.from(lines.join('\r\n'), 'latin1'))
        assert.equal(read.text?.trimEnd(), value.replaceAll('\r\n', '\n'), message)
      }
})

test('flowed text keeps its lines: none is quoted, or flows into the next', async () => {
  const head = ['Content-Type: text/plain; format=flowed; delsp=no', '']
  const body = ['flows ', '{twigtemplate=1}', '> quoted {twigtemplate=1}']
  const lines = await render([...head, ...body], '> a  \n b\nFrom c')
  const put = [' > a', '  b', ' From c']
  const putWithin = ['> quoted > a', '  b', ' From c']
  assert.deepEqual(lines, [...head, 'flows ', ...put, ...putWithin])
})

test('a Subject is rendered within encoded words and across them, and stays one line', async () => {
  const subject = [
    'SUBJECT: =?utf-8?Q?H=C3=A9llo_=7Btwigtem?=',
    '\t=?utf-8?Q?plate=3D1=7D?= there {twigtemplate=2}',
  ]
  const lines = await render(
    [...subject, 'To: a@b.test', '', 'x'],
    (id) => ` Zoë\r\nX-Bad: ${id}\n`,
  )
  const read = await PostalMime.parse(lines.join('\r\n'))
  assert.equal(read.subject, 'Héllo Zoë X-Bad: 1 there Zoë X-Bad: 2')
  assert.deepEqual(
    read.headers.map(({ key }) => key),
    ['subject', 'to'],
  )
})

test('a Subject in plain letters stays in plain letters', async () => {
  const lines = await render(['To: a@b.test', 'Subject: Hi {twigtemplate=1}', '', 'x'], 'you')
  assert.deepEqual(lines, ['To: a@b.test', 'Subject: Hi you', '', 'x'])
})

test('letters that old programs put into a Subject as bare bytes are kept', async () => {
  for (const encoding of ['latin1', 'utf8'] as const) {
    const subject = Buffer.from('Subject: Grüße {twigtemplate=1}', encoding).toString('latin1')
    const read = await PostalMime.parse((await render([subject, '', 'x'], 'Zoë')).join('\r\n'))
    assert.equal(read.subject, 'Grüße Zoë')
  }
})

test('attached messages, digests, signed and encrypted parts are left alone', async () => {
  for (const type of ['multipart/signed', 'multipart/encrypted', 'multipart/digest'])
    await unchanged([
      `Content-Type: ${type}; boundary=b`,
      '',
      '--b',
      '',
      '{twigtemplate=1}',
      '--b--',
    ])
  await unchanged(['Content-Type: message/rfc822', '', 'Subject: x', '', '{twigtemplate=1}'])
})

test('broken parts are left alone', async () => {
  const body = ['', '--b', '', '{twigtemplate=1}', '--b--']
  await unchanged(['Content-Type: multipart/mixed', ...body])
  await unchanged(['Content-Type: multipart/mixed; boundary=other', ...body])
  // Some mail programs take the comment for a part of the boundary.
  await unchanged(['Content-Type: multipart/mixed; boundary=(it is)b', ...body])
  await unchanged([
    'Content-Type: multipart/mixed; boundary=b',
    'Content-Type: text/plain',
    ...body,
  ])
  const encoding = 'Content-Transfer-Encoding: base64'
  await unchanged(['Content-Type: multipart/mixed; boundary=b', encoding, ...body])
})

test('a multipart that is not closed is read to its end, as mail programs do', async () => {
  const head = ['Content-Type: multipart/mixed (it is); boundary=b (1)', '', '--b', '']
  assert.deepEqual(await render([...head, '{twigtemplate=1}']), [...head, '[text 1]'])
})

test('an error of a template is thrown', async () => {
  const failing = () => {
    throw new Error('no such filter')
  }
  await assert.rejects(render([...quoted, '{twigtemplate=3D1}'], failing), /no such filter/)
})

test('a hostile message is read fast', async () => {
  const boundary = (line: string) =>
    Buffer.concat([
      Buffer.from('Content-Type: multipart/mixed; boundary=b\r\n\r\n'),
      Buffer.from(line.repeat(5_000_000 / line.length)),
    ])
  const hostile = [
    boundary('--b\r\n'),
    boundary('\r\n--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n'),
    boundary('--bx'),
    Buffer.from(`${quoted.join('\r\n')}\r\n${'{'.repeat(5_000_000)}`),
    Buffer.from(`${quoted.join('\r\n')}\r\n${'{twigtemplate'.repeat(400_000)}`),
    Buffer.from('X: y\r\n'.repeat(800_000)),
    Buffer.from(`From: ${'(<"'.repeat(300_000)}\r\n\r\n`),
    Buffer.from(`From: ${'a:'.repeat(500_000)}\r\n\r\n`),
    Buffer.from(`Content-Type: text/plain;${' '.repeat(500_000)}\r\n\r\n{twigtemplate=1}`),
    Buffer.from(`Subject: ${'=?utf-8?Q?{'.repeat(20_000)}\r\n\r\n`),
    Buffer.from(`Subject: ${'{=?utf-8?Q?a?= '.repeat(1_500_000)}\r\n\r\n`),
    Buffer.from(`Subject: ${'{=?utf-8?Q?a?= '.repeat(500)}\r\n`.repeat(3_000)),
    Buffer.from(`X-Mailyard-Transport: ${'=?utf-8?Q?a?= '.repeat(1_500_000)}\r\n\r\n`),
    Buffer.from(`Content-Type: ${'text/plain; a="\\'.repeat(20_000)}\r\n\r\n`),
    Buffer.from(`Content-Type: text/plain; a="${'\\"'.repeat(10_000_000)}\r\n\r\n`),
    Buffer.from('no field\r\n'.repeat(2_400_000)),
    Buffer.from('no\r\n'.repeat(6_000_000)),
  ]
  // The square of its length would take minutes.
  for (const raw of hostile) await renderRaw(raw, () => 'é')
})

test('the tokens of a real Mautic are rendered in both parts, and the rest stays', async () => {
  let count = 0
  for (const { name, message: raw } of readMauticMessages()) {
    const before = await PostalMime.parse(raw)
    if (!readMessage([raw]).holdsTokens) continue
    count += 1
    const rendered = await renderRaw(raw, (id, kind) => `<${kind} ${id} ✓>`)
    const after = await PostalMime.parse(Buffer.concat(rendered.chunks))
    const put = (text: string | undefined, kind: string) =>
      text?.replaceAll('{twigtemplate=1}', `<${kind} 1 ✓>`)
    assert.equal(after.text, put(before.text, 'text'), name)
    assert.equal(after.html, put(before.html, 'html'), name)
    assert.equal(after.subject, before.subject)
  }
  assert.ok(count >= 3)
})

test('a template that is used many times is rendered once for each kind of text', async () => {
  const raw = `Subject: {twigtemplate=1}\r\n\r\n${'{twigtemplate=1}\r\n'.repeat(1_000)}`
  const asked: string[] = []
  const { sizeBytes } = await renderRaw(raw, (id, kind) => {
    asked.push(`${kind} ${id}`)
    return 'hello'
  })
  assert.deepEqual(asked, ['text 1'])
  assert.ok(sizeBytes > 5_000)
})

test('a message that would become too large, or holds too many tokens, is refused', async () => {
  const many = (count: number) => Buffer.from(`\r\n${'{twigtemplate=1}'.repeat(count)}\r\n`)
  const rendered = renderRaw(many(1_000), () => 'x'.repeat(1_000), 999_999)
  await assert.rejects(rendered, TooLargeToRender)
  const grown = `\r\n{twigtemplate=1}${'x'.repeat(800)}\r\n`
  const long = () => 'y'.repeat(100)
  assert.equal((await renderRaw(grown, long, 904)).sizeBytes, 904)
  await assert.rejects(renderRaw(grown, long, 903), TooLargeToRender)
  assert.throws(() => readMessage([many(10_001)]).holdsTokens, TooLargeToRender)
  assert.ok(readMessage([many(10_000)]).holdsTokens)
})
