import { describe, test } from 'node:test'
import { addTransport } from '../callers.ts'
import { logDeliveries } from '../log-deliveries.ts'
import { useScreens } from './test-screens.ts'

describe('emails in the console', () => {
  const console = useScreens()

  test('faults of the API stand beside their fields; warnings of a save stay', async () => {
    const page = await console.open('/emails/new')
    await page.enter({ Name: 'Faulty', Subject: 'Hello' })
    const preview = page.region('Preview')
    await preview.see('The email has no HTML and no text')
    await page.enter({ 'From: address': 'no one' })
    await preview.see('From: address must be an email address')
    await page.button('Save').click()
    const field = page.getByRole('textbox', { name: 'From: address', description: /email address/ })
    await field.waitFor()
    await field.fill('')
    await page.button('Save').click()
    await page.see(/has no HTML and no text/)
  })

  test('the list says when each email was sent, how that ended, and through what', async () => {
    const transport = await addTransport(console.service, { name: 'Brand B' })
    const id = await console.fixture.email(transport.id, { name: 'Often sent' })
    const sent = { email_id: id, started_at: Date.now() - 60_000 }
    await logDeliveries(console.service, [
      ...Array.from({ length: 3 }, () => ({ ...sent, outcome: 'accepted' as const })),
      { ...sent, outcome: 'refused' },
    ])
    const page = await console.open('/emails?search=often')
    const row = page.row(/Often sent .* 75 % accepted 1 refused .*Brand B/)
    await row.waitFor()
    await row.link('Often sent').click()
    const use = page.region('Use')
    await use.see('Refused')
    await use.link('All deliveries').waitFor()
  })
})
