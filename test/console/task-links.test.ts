import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { needsBrowser } from '../browser/launch.ts'
import { addTransport } from '../callers.ts'
import { addMautic, closeMautics } from '../mautics.ts'
import { createSendFixture } from '../send-fixture.ts'
import { assertAccessible, openTestConsole, type TestConsole } from './test-console.ts'

const root = join(import.meta.dirname, '../..')

test('every task page is linked from a screen of the console', () => {
  const screens = globSync('web/screens/**/*.tsx', { cwd: root })
  const code = screens.map((path) => readFileSync(join(root, path), 'utf8')).join('\n')
  const pages = globSync('docs/tasks/*.md', { cwd: root }).map((path) => basename(path, '.md'))
  assert.deepEqual(
    pages.filter((page) => !new RegExp(`["']${page}["']`).test(code)),
    [],
  )
})

describe('the task pages in the console', needsBrowser, () => {
  let console: TestConsole
  const fixture = createSendFixture(() => console.service)
  before(async () => {
    console = await openTestConsole()
  })
  after(async () => {
    await console?.close()
    await closeMautics()
  })

  const taskLinked = async (name: string) => {
    const link = console.page.getByRole('link', { name })
    await link.waitFor()
    return link.getAttribute('href')
  }

  test('the page of a transport and the question before its deletion link how to move to another provider', async () => {
    const { id } = await addTransport(console.service, { name: 'Brand' })
    const page = await console.open(`/transports/${id}`)
    const link = 'How to move a brand to another provider'
    const href = '/help/move-a-brand-to-another-provider'
    assert.equal(await taskLinked(link), href)
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    assert.equal(await dialog.getByRole('link', { name: link }).getAttribute('href'), href)
    await assertAccessible(page)
  })

  test('a refused delivery links what to do when an email did not arrive', async () => {
    const emailId = await fixture.email(await fixture.transport('smtp://127.0.0.1:1'))
    const contact = { email: 'ann@a.test' }
    const { body } = await console.service.ask('POST', '/api/contacts/new', contact)
    await console.service.ask('POST', `/api/emails/${emailId}/contact/${body.contact.id}/send`)
    const [{ id }] = await fixture.deliveries('recipient=ann@a.test')
    await console.open(`/deliveries/${id}`)
    const href = await taskLinked('What to do when an email did not arrive')
    assert.equal(href, '/help/jane-did-not-get-her-mail')
  })

  test('a failed check of a Mautic links how to connect one', async () => {
    const { id, double } = await addMautic(console.service)
    await double.stop()
    const page = await console.open(`/mautics/${id}`)
    await page.getByRole('button', { name: 'Check now' }).click()
    assert.equal(await taskLinked('How to connect a Mautic'), '/help/connect-a-mautic')
  })
})
