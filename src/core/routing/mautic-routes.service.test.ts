import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addEmail, addTransport, addUser, uniqueName } from '../../../test/callers.ts'
import { addBrand, addMautic, callerOf, markReinstalled } from '../../../test/mautics.ts'
import { onMailyard } from '../../../test/on-each-database.ts'
import { AppError } from '../../kit/app-error.ts'
import { noBrand } from '../../kit/caller.ts'
import type { MauticDirectory } from '../mautic/mautic-directory.ts'
import type { Route, RouteQuestion } from './choose-route.ts'
import { createResolveRoute } from './resolve-route.ts'

const takenBy = ({ target }: Route) => (target.kind === 'transport' ? target.row.id : target.kind)
const reasonsOf = ({ trace }: Route) => trace.map(({ reason }) => reason)

onMailyard('routes of messages of a Mautic', (shared) => {
  const resolve = (question: RouteQuestion, changes: Partial<MauticDirectory> = {}) => {
    const { storage, mautics: connected } = shared.service.app
    const { emails, users, contacts, sends } = connected
    const findById = (id: number) => connected.findById(id)
    const mautics = { findById, emails, users, contacts, sends, ...changes }
    return createResolveRoute({ storage, mautics, hasDefault: true })(question)
  }
  test("take the email's transport, then that of the Mautic, then the default", async () => {
    const { assignments } = shared.service.app
    const { id: transportId } = await addTransport(shared.service)
    const { id: defaultId } = await addTransport(shared.service)
    const mautic = await addMautic(shared.service, {
      ...{ emails: [17, 18], transportId: defaultId },
    })
    await assignments.set('email', { id: 17, transportId }, callerOf(mautic))
    const ofEmail = await resolve({ mautic, emailId: 17 })
    const name = `Mautic "${mautic.name}"`
    assert.equal(takenBy(ofEmail), transportId)
    const ofMautic = await resolve({ mautic, emailId: 18 })
    assert.equal(takenBy(ofMautic), defaultId)
    assert.match(reasonsOf(ofMautic).join(), new RegExp(`default of ${name}`))
    const without = await resolve({ mautic: await addMautic(shared.service) })
    assert.equal(takenBy(without), 'default')
    assert.match(reasonsOf(without)[0] ?? '', /has no default transport/)
  })

  test('with useOwnerTransport, take the transport of the owner of the contact', async () => {
    const { assignments } = shared.service.app
    const { id: transportId } = await addTransport(shared.service)
    const mautic = await addMautic(shared.service, {
      emails: [2],
      users: { 5: 'olga@brand.test' },
      contacts: { 9: { email: 'ann@example.test', ownerId: 5 } },
    })
    const caller = callerOf(mautic)
    await assignments.set('email', { id: 2, transportId: null, useOwnerTransport: true }, caller)
    await assignments.set('user', { id: 5, transportId }, caller)
    const route = await resolve({ mautic, emailId: 2, contactId: 9 })
    assert.equal(takenBy(route), transportId)
    const byOwner = await resolve({ mautic, emailId: 2, ownerId: 5 })
    assert.equal(takenBy(byOwner), transportId)
  })

  test("without an email, take the transport of the Mautic's user who is the sender", async () => {
    const { assignments } = shared.service.app
    const { id: transportId } = await addTransport(shared.service)
    const from = `${uniqueName('sender')}@brand.test`
    const mautic = await addMautic(shared.service, { users: { 3: from } })
    const other = await addMautic(shared.service)
    await assignments.set('user', { id: 3, transportId }, callerOf(mautic))
    assert.equal(takenBy(await resolve({ mautic, from })), transportId)
    assert.equal(takenBy(await resolve({ mautic: other, from })), 'default')
    assert.equal(takenBy(await resolve({ from })), 'default')
  })

  test("are never those of Mailyard's own email or of another Mautic's with the same id", async () => {
    const { assignments } = shared.service.app
    const { id: emailId } = await addEmail(shared.service)
    const { id: transportId } = await addTransport(shared.service)
    await assignments.set('email', { id: emailId, transportId }, callerOf(undefined))
    const [one, other] = [
      await addMautic(shared.service, { emails: [emailId] }),
      await addMautic(shared.service, { emails: [emailId] }),
    ]
    const { id: ofOne } = await addTransport(shared.service)
    await assignments.set('email', { id: emailId, transportId: ofOne }, callerOf(one))
    const routes = [
      await resolve({ emailId }),
      await resolve({ emailId, mautic: one }),
      await resolve({ emailId, mautic: other }),
    ]
    assert.deepEqual(routes.map(takenBy), [transportId, ofOne, 'default'])
  })

  test('take no assignment of a reinstalled Mautic until an administrator accepts it', async () => {
    const { assignments } = shared.service.app
    const { id: transportId } = await addTransport(shared.service)
    const { id: defaultId } = await addTransport(shared.service)
    const from = `${uniqueName('sender')}@brand.test`
    const mautic = await addMautic(shared.service, {
      ...{ emails: [17, 18], users: { 5: from }, transportId: defaultId },
    })
    const caller = callerOf(mautic)
    await assignments.set('email', { id: 17, transportId }, caller)
    await assignments.set('email', { id: 18, transportId: null, useOwnerTransport: true }, caller)
    await assignments.set('user', { id: 5, transportId }, caller)
    const questions = [{ emailId: 17 }, { emailId: 18, ownerId: 5 }, { from }]
    const routes = () => Promise.all(questions.map((question) => resolve({ mautic, ...question })))
    assert.deepEqual((await routes()).map(takenBy), [transportId, transportId, transportId])
    await markReinstalled(shared.service, mautic.id)
    for (const route of await routes()) {
      assert.equal(takenBy(route), 'open')
      assert.match(reasonsOf(route)[0] ?? '', /was reinstalled, .+ depends on it/)
    }
    const decided = await resolve({ mautic, emailId: 17, isDecided: true })
    assert.equal(takenBy(decided), defaultId)
    assert.match(reasonsOf(decided)[0] ?? '', /it was reinstalled/)
    const named = await resolve({ mautic, emailId: 17, transport: String(transportId) })
    assert.equal(takenBy(named), transportId)
  })

  test('reach a transport of another brand neither by name nor by id', async () => {
    const name = uniqueName('secret transport')
    const owner = await addMautic(shared.service)
    const { id } = await addTransport(shared.service, { name })
    const mautic = await addMautic(shared.service, { transportId: id })
    const { brand } = mautic
    const given = { brand: owner.brand }
    await shared.ask('PATCH', `/api/multipleTransports/${id}/edit`, given)
    for (const transport of [name, String(id)]) {
      const refused = await resolve({ mautic, brand, transport })
      assert.equal(takenBy(refused), 'refused')
      assert.match(reasonsOf(refused)[0] ?? '', /was not found/)
      assert.equal(takenBy(await resolve({ brand: noBrand, transport })), 'refused')
      // A log-in of all brands sends as the brand of the transport.
      assert.equal(takenBy(await resolve({ transport })), id)
      assert.equal(takenBy(await resolve({ mautic: owner, brand: owner.brand, transport })), id)
    }
    const byDefault = await resolve({ mautic, brand })
    assert.equal(takenBy(byDefault), 'default')
    assert.match(reasonsOf(byDefault)[0] ?? '', /but it belongs to another brand/)
  })

  test('of a brand know no email and no user of another, and tell callers of none', async () => {
    const { id: transportId } = await addTransport(shared.service)
    const [own, other] = [await addBrand(shared.service), await addBrand(shared.service)]
    const email = await addEmail(shared.service, { brand: other })
    const user = await addUser(shared.service, {}, [other])
    const assign = '/api/multipleTransport/transport'
    await shared.askFor('POST', `${assign}Email/${email.id}`, { transportId })
    await shared.askFor('POST', `${assign}User/${user.id}`, { transportId })
    const { as } = await addUser(shared.service, 'administrator', [own])
    const questions = [{ emailId: email.id }, { ownerId: user.id }, { from: user.email }]
    for (const question of questions) {
      assert.equal(takenBy(await resolve({ brand: other, ...question })), transportId)
      const unknown = await resolve({ brand: own, ...question })
      assert.equal(takenBy(unknown), 'default')
      assert.match(reasonsOf(unknown)[0] ?? '', /there is no|nothing else/)
      const path = `/api/multipleTransport/resolve?${new URLSearchParams(JSON.parse(JSON.stringify(question)))}`
      const { trace } = (await shared.ask('GET', path, undefined, { as })).body
      assert.match(trace[0].reason, /there is no|no default/)
    }
  })

  test('are chosen by what is known while the Mautic does not answer', async () => {
    const { assignments } = shared.service.app
    const { id: transportId } = await addTransport(shared.service)
    const mautic = await addMautic(shared.service, { emails: [4] })
    await assignments.set('email', { id: 4, transportId }, callerOf(mautic))
    const fail = async () => {
      throw new AppError('upstream', 'mautic_unreachable', 'The Mautic does not answer.')
    }
    const silent = {
      emails: { find: fail, findTested: fail },
      users: { find: () => new Promise<never>(() => undefined), findByEmail: fail },
      contacts: { find: fail },
    }
    assert.equal(takenBy(await resolve({ mautic, emailId: 4, contactId: 1 }, silent)), transportId)
    const unseen = await resolve({ mautic, emailId: 5, ownerId: 1 }, silent)
    assert.equal(takenBy(unseen), 'default')
    assert.match(reasonsOf(unseen)[0] ?? '', /no transport is assigned to the email/)
  })
})
