/** What the clients are made to send. */
export const kinds = ['plain', 'html', 'attachments', '8bit', 'addresses', 'large'] as const
export type Kind = (typeof kinds)[number]

/** The sender and the recipients of each kind of message. */
export function envelopeOf(kind: Kind): { from: string; to: string[] } {
  if (kind === 'addresses') return { from: 'jösé@brand.test', to: ['дмитрий@пример.test'] }
  return { from: 'ann@brand.test', to: ['bob@example.test', 'hidden@example.test'] }
}

const text = 'Hello\r\n.\r\n..two dots\r\nFrom the start\r\n \r\n'
const bytes = Buffer.from(Array.from({ length: 256 }, (_none, index) => index))

/** A whole message, for clients that take one as it is; `client` makes it unlike those of others. */
export function sampleMessage(kind: Kind, client: string): Buffer {
  const { from, to } = envelopeOf(kind)
  const type = 'text/plain; charset=utf-8'
  const head = [
    `From: ${from}`,
    `To: ${to[0] ?? ''}`,
    'Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=',
    `Message-ID: <${client}.${kind}@brand.test>`,
    'Date: Sat, 21 Nov 2026 01:09:00 +0000',
    'X-EMAIL-ID: 77',
    'X-Normalized: one\r\n\ttwo',
    'MIME-Version: 1.0',
  ]
  return Buffer.from([...head, ...bodies[kind](type)].join('\r\n').replaceAll(/(?<!\r)\n/g, '\r\n'))
}

const bodies: Record<Kind, (type: string) => string[]> = {
  plain: (type) => [`Content-Type: ${type}`, '', `${text}${'x'.repeat(990)}`, ''],
  html: (type) => [
    'Content-Type: multipart/alternative; boundary=b',
    '',
    `--b\nContent-Type: ${type}\nContent-Transfer-Encoding: quoted-printable\n\n${text}=\n=20\n--b`,
    'Content-Type: text/html; charset=utf-8',
    '',
    '<p style="a{b}">Hello {x}</p>',
    '--b--',
    '',
  ],
  attachments: (type) => [
    'Content-Type: multipart/mixed; boundary=b',
    '',
    `--b\nContent-Type: ${type}\n\n${text}--b`,
    attachment('räv.pdf', bytes.toString('base64')),
    '--b',
    'Content-Type: text/plain; name=a.txt',
    '',
    '{twigtemplate=1}',
    '--b--',
    '',
  ],
  '8bit': (type) => [
    `Content-Type: ${type}`,
    'Content-Transfer-Encoding: 8bit',
    '',
    `${text}Grüße, ${'日本'.repeat(100)}`,
    '',
  ],
  addresses: (type) => [`Content-Type: ${type}`, '', text],
  large: () => [
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    attachment('a.zip', Buffer.concat(Array(30_000).fill(bytes)).toString('base64')),
    '--b--',
    '',
  ],
}

function attachment(name: string, base64: string): string {
  const head = `Content-Type: application/octet-stream; name="=?utf-8?B?${Buffer.from(name).toString('base64')}?="`
  const lines = base64.replaceAll(/.{76}/g, '$&\r\n')
  return `${head}\r\nContent-Transfer-Encoding: base64\r\n\r\n${lines}`
}
