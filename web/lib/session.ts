import { computed, signal } from '@preact/signals'
import { words } from '../words/common.ts'
import { ApiFault, ask, type Body, loggedIn } from './api.ts'
import { sentRequests } from './curl.ts'

/** Who is logged in, as `GET /api/session` answers. */
export type Session = Body<'POST', '/api/session'>

/** Undefined until it is known; null where no one is logged in. */
export const session = signal<Session | null>()
const granted = computed(() => new Set(session.value?.permissions ?? []))

/** Whether the user has a permission such as `multipleTransports:edit`. */
export function can(permission: string): boolean {
  return granted.value.has('*') || granted.value.has(permission)
}

/** Asks who is logged in. Without an answer, the log-in page is shown, which says so when it is used. */
export async function loadSession(): Promise<void> {
  try {
    const { body } = await ask('GET', '/api/session')
    session.value = body.user === null ? null : body
  } catch (error) {
    if (!(error instanceof ApiFault)) throw error
    session.value = null
  }
}

/**
 * Logs in; after the end of a session, again. Requests that wait for the log-in continue, unless it is another user.
 *
 * @throws ApiFault with the sentence to show.
 */
export async function logIn(username: string, password: string): Promise<void> {
  const body = { username, password }
  const before = session.value?.user.id
  session.value = (await ask('POST', '/api/session', { body })).body
  const isSame = before === undefined || before === session.value.user.id
  if (isSame) loggedIn.open()
  else loggedIn.refuse(new ApiFault(401, words.session.isOther))
}

/** @throws ApiFault where the one-time link was used, or has expired. */
export async function checkPasswordLink(token: string): Promise<void> {
  await ask('POST', '/api/session/password/check', { body: { token }, isRead: true })
}

/**
 * Sets the password of the user of a one-time link, and goes to the overview.
 *
 * @throws ApiFault with the sentence to show.
 */
export async function setPassword(token: string, password: string): Promise<void> {
  const body = { token, password }
  const answer = await ask('POST', '/api/session/password', { body })
  history.replaceState(null, '', '/')
  session.value = answer.body
}

/** @throws ApiFault with the sentence to show. */
export async function logOut(): Promise<void> {
  try {
    await ask('DELETE', '/api/session')
  } catch (error) {
    // The session has ended before.
    if (!(error instanceof ApiFault) || error.status !== 401) throw error
  }
  session.value = null
  // The next user of the page must not see them.
  sentRequests.value = []
}
