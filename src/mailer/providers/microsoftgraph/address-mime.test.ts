import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressMime } from './address-mime.ts'

function addressed(header: string[], to: string[]): string {
  const raw = Buffer.from([...header, '', 'To: not a header', ''].join('\r\n'))
  return Buffer.from(addressMime({ envelope: { from: 'a@example.com', to }, raw })).toString()
}

const jane = 'jane@example.net'
const body = '\r\n\r\nTo: not a header\r\n'

test('a header that names the envelope stays byte for byte', () => {
  const header = ['From: a@example.com', `To: Jane\r\n\t<${jane}>`, 'Cc: Carl <CARL@example.net>']
  assert.equal(addressed(header, [jane, 'carl@example.net']), header.join('\r\n') + body)
})

test('a recipient whom the header does not show gets into Bcc, and an older Bcc goes', () => {
  const header = [`To: ${jane}`, 'bcc: x@example.net,', ' y@example.net', 'Subject: x']
  assert.equal(
    addressed(header, [jane, 'hidden@example.net']),
    `Bcc: hidden@example.net\r\nTo: ${jane}\r\nSubject: x${body}`,
  )
})

test('whoever is in the header only leaves it, and the others keep their names', () => {
  const header = [
    'From: a@example.com',
    `To: "Doe, Jane" <${jane}>, Other <other@example.net>,`,
    ' =?utf-8?Q?J=C3=BCrgen?= <j@example.net>',
    'Cc: other2@example.net',
    'X-Own: =?utf-8?Q?=C3=BC?=',
  ]
  assert.equal(
    addressed(header, [jane, 'j@example.net']),
    [
      `To: "Doe, Jane" <${jane}>,`,
      ' =?utf-8?B?SsO8cmdlbg==?= <j@example.net>',
      'From: a@example.com',
      'X-Own: =?utf-8?Q?=C3=BC?=',
    ].join('\r\n') + body,
  )
})

test('an empty group may stay, and its message goes to hidden recipients', () => {
  const header = ['To: undisclosed-recipients:;', 'Subject: x']
  assert.equal(
    addressed(header, [jane]),
    `Bcc: ${jane}\r\nTo: undisclosed-recipients:;\r\nSubject: x${body}`,
  )
})

test('bytes that are no UTF-8 stay as they are, and a message may have no body', () => {
  const raw = Buffer.from('X-Own: \xfc\r\nBcc: x@example.net\r\nTo: jane@example.net\r\n', 'latin1')
  const result = addressMime({ envelope: { from: 'a@example.com', to: [jane] }, raw })
  assert.deepEqual(
    Buffer.from(result),
    Buffer.from('X-Own: \xfc\r\nTo: jane@example.net\r\n', 'latin1'),
  )
})
