import type { HostileInput } from './hostile-input.ts'

const messageBytes = 25_000_000
const head = 'From: a@example.com\r\nTo: b@example.com\r\nSubject: s\r\n'
const filled = (text: string, bytes = messageBytes) =>
  text.repeat(Math.ceil(bytes / Buffer.byteLength(text)))
const message = (name: string, text: () => string): HostileInput => ({
  name: `a message of ${name}`,
  send: (target) => target.submit(Buffer.from(`${text()}\r\n.\r\n`)),
})
const part = (type: string, encoding: string, body: string) =>
  `${head}X-EMAIL-ID: 1\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}`
const multipart = (bytes: string) =>
  `${head}Content-Type: multipart/mixed; boundary=b\r\n\r\n${bytes}\r\n--b--`

/** What is sent over SMTP, each as large as a message may be. */
export const smtpInputs: readonly HostileInput[] = [
  message('folded headers', () => `${head}X: y${filled('\r\n x')}`),
  message('short headers', () => `${head}${filled('a: b\r\n')}`),
  message('a header that never ends', () => `${head}X: ${filled(`${'y'.repeat(900)}\r\n `)}`),
  message('480 parts without headers', () =>
    multipart(filled(`--b\r\n${'x: y\r\n'.repeat(8_600)}`)),
  ),
  message('parts without anything', () => multipart(filled('--b\r\n\r\n'))),
  message('lines like boundaries', () => multipart(filled('--bx\r\n'))),
  message(
    'nested multiparts',
    () => head + filled('Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n', 1_000_000),
  ),
  message('quoted-printable with tokens', () =>
    part('text/html', 'quoted-printable', filled('{twigtemplate=1}=\r\n')),
  ),
  message('quoted-printable without tokens', () =>
    part('text/html', 'quoted-printable', filled('=41=\r\n')),
  ),
  message('quoted-printable of equals signs', () =>
    part('text/plain', 'quoted-printable', filled('= = =\r\n')),
  ),
  message('base64 with a token', () =>
    part(
      'text/html',
      'base64',
      `${Buffer.from('{twigtemplate=1} ').toString('base64')}\r\n${filled('YWFh'.repeat(19).concat('\r\n'))}`,
    ),
  ),
  message('open tokens', () =>
    part('text/plain', '8bit', filled(`${'{twigtemplate='.repeat(60)}\r\n`)),
  ),
  message('tokens in another charset', () =>
    part('text/plain; charset=shift_jis', '8bit', filled('{twigtemplate=1} \x81\r\n')),
  ),
  message('flowed text', () =>
    part('text/plain; format=flowed; delsp=yes', '7bit', filled('> > {twigtemplate=1} \r\n')),
  ),
  message(
    'encoded words',
    () => `${head.replace('s\r\n', filled('=?utf-8?Q?=C3=A4?=\r\n ', 400_000))}\r\n\r\nx`,
  ),
  message(
    'addresses',
    () => `${head.replace('b@example.com', filled('(((<"@,;:\r\n ', 400_000))}\r\n\r\nx`,
  ),
  message('dots', () => `${head}\r\n${filled('..\r\n')}`),
]
