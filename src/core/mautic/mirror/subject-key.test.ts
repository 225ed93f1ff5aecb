import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayShow, subjectKey } from './subject-key.ts'

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
  ['Your order {contactfield=order}', 'Your order form was edited by Eve'],
  ['Welcome to {contactfield=city}', 'Welcome to Mautic: reset your password'],
  ['{contactfield=firstname}, your invoice', 'Password reset for admin, your invoice'],
  ['{contactfield=subject}', 'Password reset'],
] as const

test('another subject is not that of the email', () => {
  for (const [subject, shown] of different)
    assert.ok(subjectKey(subject) !== subjectKey(shown) || !mayShow(subject, shown), shown)
})
