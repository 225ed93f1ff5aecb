import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMessage } from './read-message.ts'

/** A segment email as Mautic writes it: what differs each time that it is sent is in `each`. */
function mauticMail(each: string, { subject = 'News', html = 'Hi Ann', text = 'Hi Ann' } = {}) {
  const hash = each.repeat(22).slice(0, 22)
  const ct = `YToxOntzOjQ6InN0YXQi${each.repeat(40)}fX0%3D`
  return [
    'To: Ann Alpha <ann@example.com>',
    'From: Lab Sender <lab@sender.test>',
    `Subject: ${subject}`,
    'Precedence: Bulk',
    'X-EMAIL-ID: 6',
    `List-Unsubscribe: <http://mautic.test/email/unsubscribe/${hash}/ann@example.com/x>`,
    `Message-ID: <${hash}@sender.test>`,
    'MIME-Version: 1.0',
    `Date: Sat, 21 Nov 2026 01:08:5${each} +0000`,
    `Content-Type: multipart/alternative; boundary=b${each}`,
    '',
    `--b${each}`,
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    `${text} link [http://mautic.test/r/1?ct=3D${ct.slice(0, 30)}=\r\n${ct.slice(30)}&]`,
    `--b${each}`,
    'Content-Type: text/html; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    `<p>${html}</p><a href=3D"http://mautic.test/r/1?ct=3D${ct}&">x</a><img src=3D"http://mautic.test/email/${hash}.gif" />`,
    `--b${each}--`,
    '',
  ].join('\r\n')
}
const digest = (raw: string) => readMessage([Buffer.from(raw)]).contentDigest()

test('the same email has the same digest each time that Mautic sends it', () => {
  assert.equal(digest(mauticMail('1')), digest(mauticMail('2')))
})

test('another subject, text or HTML is another email', () => {
  const first = digest(mauticMail('1'))
  assert.notEqual(digest(mauticMail('1', { subject: 'Other news' })), first)
  assert.notEqual(digest(mauticMail('1', { html: 'Hi Ann!' })), first)
  assert.notEqual(digest(mauticMail('1', { text: 'Hello Ann' })), first)
})

test('a large message is digested up to a limit', () => {
  const long = (end: string) => `Subject: s\r\n\r\n${'http://'.repeat(3_000_000)}${end}`
  assert.equal(digest(long('a')), digest(long('b')))
})
