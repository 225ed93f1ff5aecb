import assert from 'node:assert/strict'
import { addQueued } from '../../test/queue/test-queue.ts'
import type { TestApp, TestBody } from '../../test/test-app.ts'

const hourMs = 3_600_000

/** Adds what the pictures of the task pages show: a brand with a colleague, a Mautic, held messages, a log-in that ends. */
export async function addExampleTasks(service: TestApp, now: number): Promise<void> {
  const add = async (path: string, body: Record<string, unknown>): Promise<TestBody> => {
    const answer = await service.ask('POST', path, body)
    assert.ok(answer.status < 300, `${path}: ${answer.text}`)
    return answer.body
  }
  const { brand } = await add('/api/brands/new', {
    name: 'Harbour Books',
    domains: ['brand2.example'],
    color: '#0f766e',
  })
  const permissions = ['email', 'twigtemplates', 'contact', 'multipleTransports']
  const { role } = await add('/api/roles/new', {
    name: 'Operator of a brand',
    rawPermissions: {
      ...Object.fromEntries(permissions.map((area) => [area, ['full']])),
      brand: ['view'],
    },
  })
  await add('/api/users/new', {
    username: 'grace',
    firstName: 'Grace',
    lastName: 'Hopper',
    email: 'grace@brand2.example',
    plainPassword: { password: 'a long password', confirm: 'a long password' },
    role: role.id,
    brands: [brand.id],
  })
  await add('/api/multipleTransports/new', {
    name: 'Support mailbox',
    description: 'Answers of the support team',
    mailerDsn: 'smtp://support%40brand6.example:password@smtp.office365.com:587',
    testedEmailFrom: 'support@brand6.example',
  })
  await add('/api/mautics/new', {
    name: 'northlight',
    url: 'https://mautic.northlight.example',
    username: 'mailyard',
    password: 'password',
    transportId: 4,
  })
  const address = 'lin12@example.com'
  await add('/api/contacts/new', { email: address, firstname: 'Lin', lastname: 'Jansen' })
  await add('/api/suppressions/new', { address, reason: 'bounced' })
  for (const [index, name] of ['ada', 'grace', 'lin', 'mateo', 'noor', 'olga'].entries())
    await addQueued(service, now - index * 7 * 60_000, {
      recipient: `${name}${index + 12}@example.com`,
      sender: 'hello@brand3.example',
      subject: 'Northlight: news of the week',
      lane: 'bulk',
      mautic_id: 1,
      email_id: 17,
      transport_id: 4,
      state: 'held',
      due_at: now + hourMs,
    })
}
