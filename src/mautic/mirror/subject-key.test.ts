import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayRender, mayShow, subjectKey } from './subject-key.ts'

const same = [
  ['Spring', 'Spring'],
  ['Hello {contactfield=firstname}', 'Hello [First Name]'],
  ['Hello {contactfield=firstname|friend}', 'Hello {contactfield=firstname|friend}'],
  [
    '{contactfield=firstname}, {contactfield=city}: {twigtemplate=3}',
    '[First Name], [City]: {twigtemplate=3}',
  ],
  ['[Sale] for {contactfield=firstname}', '[Sale] for [First Name]'],
  ['Two  words ', 'Two words'],
  ['Cafe\u0301', 'Café'],
] as const

test('a test is found by the subject of its email, with each token as it is or as a name', () => {
  for (const [subject, shown] of same) {
    assert.equal(subjectKey(subject), subjectKey(shown), shown)
    assert.ok(mayShow(subject, shown), shown)
  }
})

const different = [
  ['Spring', 'spring'],
  ['Spring', 'Spring [City]'],
  ['Hello [Ann]', 'Hello [First Name]'],
  ['Hello [First Name]', 'Hello {contactfield=firstname}'],
  ['Hello {contactfield=firstname}', 'Hello {contactfield=lastname}'],
  ['Hello {contactfield=firstname}', 'Hello Ann'],
] as const

test('another subject is not that of the email', () => {
  for (const [subject, shown] of different)
    assert.ok(subjectKey(subject) !== subjectKey(shown) || !mayShow(subject, shown), shown)
})

const rendered = [
  ['Your order {contactfield=order} has left', 'Your order 17 has left'],
  ['Your order {contactfield=order} has left', 'Your order has left'],
  ['{contactfield=firstname}, your invoice', 'Ann, your invoice'],
  ['New lead from {contactfield=city}', 'New lead from'],
  ['{a=b} asked for {c=d}, {e=f}', 'Ann {x} asked for a [quote], now'],
  ['Contract {contactfield=a}{contactfield=b} signed', 'Contract 7 signed'],
] as const

test('a subject with values in place of its tokens is that of the email', () => {
  for (const [subject, shown] of rendered) assert.ok(mayRender(subject, shown), shown)
})

const notRendered = [
  ['Your password', 'Your password'],
  ['{contactfield=subject}', 'Your password'],
  ['Hello {contactfield=firstname}', 'Hello world'],
  ['Invoices {a=b} Invoices', 'Invoices'],
  ['New lead {a=b} from {c=d} here', 'New lead here from'],
  ['New lead from {contactfield=city}', 'RE: New lead from Vienna'],
] as const

test('another subject, or one with hardly any text of its own, is not', () => {
  for (const [subject, shown] of notRendered) assert.ok(!mayRender(subject, shown), shown)
})

test('a subject with many tokens is compared in time', () => {
  const subject = `Newsletter ${'a{b=c}'.repeat(140)}z`
  assert.ok(!mayRender(subject, `Newsletter ${'a'.repeat(990)}`))
})
