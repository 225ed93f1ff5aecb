import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { describeProviders } from '../../src/libraries/mailer/index.ts'
import { fillLine } from '../../web/screens/transports/fill-line.ts'

const [variant = assert.fail()] =
  describeProviders().find(({ name }) => name === 'office365')?.variants ?? []

type Filling = Parameters<typeof fillLine>[1]

const fill = (line: string, { values = {}, shell = 'powershell' }: Partial<Filling> = {}) =>
  fillLine(line, { fields: variant.fields, values, shell })

describe('a command of the set-up steps', () => {
  test('has the values of the form, and the label of a field that is empty', () => {
    const line = 'Set -A {user} -B {tenantId} -C {mailbox}'
    assert.equal(
      fill(line, { values: { user: '1-2' } }),
      "Set -A '1-2' -B 'DIRECTORY_TENANT_ID' -C 'MAILBOX'",
    )
  })

  test('keeps a hostile value in its quotes', () => {
    const value = (user: string) => fill('{user}', { values: { user } })
    assert.equal(value("a'; Remove-Mailbox b #"), "'a''; Remove-Mailbox b #'")
    assert.equal(value('$(Get-Date) `n "x"'), `'$(Get-Date) \`n "x"'`)
    // PowerShell reads typographic quotes as plain ones.
    assert.equal(
      value('a\u2018b\u2019c\u201Ad\u201Be'),
      "'a\u2018\u2018b\u2019\u2019c\u201A\u201Ad\u201B\u201Be'",
    )
    assert.equal(value('a\r\nb\u001B[A\u0003'), "'ab[A'")
  })

  test('does not fill a value that looks like a placeholder', () => {
    const values = { user: '{mailbox} $& $1', mailbox: 'a@example.com' }
    assert.equal(fill('{user}', { values }), "'{mailbox} $& $1'")
  })

  test('leaves a value to paste unquoted', () => {
    assert.equal(fill('https://mail.google.com/', { shell: null }), 'https://mail.google.com/')
  })
})
