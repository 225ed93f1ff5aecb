import Type from 'typebox'
import { AppError } from '../../../kit/app-error.ts'
import type { Caller } from '../../../kit/caller.ts'
import type { SmtpEndpoint } from '../../config/index.ts'
import {
  type Callers,
  type HttpApp,
  type HttpRequest,
  idParameters,
  isFromOtherSite,
  nullable,
  otherSite,
  publicBodySizeBytesMax,
  readId,
} from '../../http/index.ts'
import { type Installation, unconfirmed } from '../../installation/index.ts'
import { type Accounts, userCaller } from '../accounts.ts'
import { moreThanOwn, unauthenticated } from '../errors.ts'
import type { PasswordCheck } from '../login/logins.ts'
import { areas, covers, levels } from '../roles/role-schema.ts'
import { newPassword } from '../users/user-schema.ts'
import type { Users } from '../users/users.ts'
import type { ConsoleSessions } from './console-sessions.ts'
import type { PasswordLinks } from './password-links.ts'

export interface SessionRouteParts {
  sessions: ConsoleSessions
  links: PasswordLinks
  users: Users
  passwords: PasswordCheck
  accounts: Accounts
  callers: Callers
  smtp: Pick<SmtpEndpoint, 'address'>
  allowedRecipients: readonly string[] | undefined
  installation: Pick<Installation, 'unconfirmed'>
}

const tags = ['session']
const open = { config: { permission: 'public' as const }, bodyLimit: publicBodySizeBytesMax }
const config = { permission: 'authenticated' as const }
export const examplePasswordToken = 'W8sVdN5hJc2mLf9aGo4iPyQtXeWrA3xT0qRk7uZ1wEA'

const linkToken = Type.String({ description: 'The part of the link after `#`.', maxLength: 200 })
const permissions = Type.Array(Type.String(), {
  description: 'What the caller may do, such as `email:view`; `*` for administrators.',
})
const startedSession = Type.Object(
  {
    user: Type.Object({
      id: nullable(Type.Integer()),
      name: Type.String(),
      email: nullable(Type.String()),
    }),
    permissions,
    smtp: Type.Union(
      [
        Type.Object({
          scheme: Type.Enum(['smtp', 'smtps']),
          host: Type.String(),
          port: Type.Integer(),
        }),
        Type.Null(),
      ],
      {
        description:
          'Where users and OAuth clients submit messages over SMTP; null where the SMTP server is closed.',
      },
    ),
    brands: Type.Optional(
      Type.Array(Type.Integer(), {
        description: 'The brands whose records and messages the user reaches. Absent: all.',
      }),
    ),
    allowedRecipients: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'The addresses and domains of `MAILYARD_ALLOWED_RECIPIENTS`: all other mail is captured in the inbox. Absent where mail goes to everybody.',
      }),
    ),
    unconfirmed: Type.Optional(unconfirmed),
  },
  {
    examples: [
      {
        user: { id: 1, name: 'admin', email: 'admin@example.com' },
        permissions: ['*'],
        smtp: { scheme: 'smtp', host: 'mail.example.com', port: 2525 },
      },
    ],
  },
)
const noSession = Type.Object({ user: Type.Null(), permissions })
const success = Type.Object({ success: Type.Boolean() }, { examples: [{ success: true }] })

const sessionItem = Type.Object(
  {
    id: Type.Integer(),
    address: Type.String(),
    userAgent: Type.String(),
    dateAdded: Type.String(),
    dateUsed: Type.String({ description: 'To the minute.' }),
    dateEnds: Type.String(),
    isCurrent: Type.Boolean({ description: 'Whether it is the session of this request.' }),
  },
  {
    examples: [
      {
        id: 3,
        address: '127.0.0.1',
        userAgent: 'Mozilla/5.0',
        dateAdded: '2026-01-31T15:54:35+00:00',
        dateUsed: '2026-01-31T16:20:00+00:00',
        dateEnds: '2026-02-07T15:54:35+00:00',
        isCurrent: true,
      },
    ],
  },
)
const sessionList = Type.Object({ sessions: Type.Array(sessionItem) })

/** Adds `/api/session`: logging in and out with a cookie, as the console does; and `/api/sessions`, a user's own. */
export function addSessionRoutes(app: HttpApp, parts: SessionRouteParts): void {
  addLoginRoute(app, parts)
  addPasswordRoutes(app, parts)
  addCurrentRoutes(app, parts)
  addListRoutes(app, parts)
  addUserRoutes(app, parts)
}

function addLoginRoute(app: HttpApp, parts: SessionRouteParts): void {
  const { sessions, passwords } = parts
  const schema = {
    operationId: 'startSession',
    summary: 'Log in with a session cookie',
    description:
      'For browsers: the cookie is HttpOnly and SameSite=Strict. Programs use Basic or OAuth 2.0.',
    tags,
    errors: [401 as const, 429 as const],
    body: Type.Object(
      {
        username: Type.String({ description: 'User name or email address.', maxLength: 255 }),
        password: Type.String({ maxLength: 1_024 }),
      },
      { examples: [{ username: 'admin', password: 'correct horse battery' }] },
    ),
    response: { 200: startedSession },
  }
  app.post('/api/session', { ...open, schema }, async (request, reply) => {
    if (isFromOtherSite(request)) throw otherSite()
    const { username: login, password } = request.body
    const account = await passwords.check({ login, password, address: request.ip })
    if (account === undefined || !(await sessions.start(request, reply, account))) {
      throw unauthenticated('The user name or password is wrong.')
    }
    return presentCaller(userCaller(account), parts)
  })
}

/** Adds the routes of one-time links. A link sets the password of its user, and logs them in. */
function addPasswordRoutes(app: HttpApp, parts: SessionRouteParts): void {
  const { sessions, links, users, accounts } = parts
  /** Returns the user of a link, who may log in from where the request comes from. */
  const findOwner = async (token: string, { ip }: Pick<HttpRequest, 'ip'>) => {
    const id = await links.find(token)
    return id === undefined ? undefined : accounts.findById(id, ip)
  }
  const schema = {
    operationId: 'setPasswordByLink',
    summary: 'Choose a password with a one-time link',
    description: 'The first start prints such a link. It logs in, as `POST /api/session` does.',
    tags,
    errors: [404 as const],
    body: Type.Object(
      { token: linkToken, password: newPassword },
      { examples: [{ token: examplePasswordToken, password: 'correct horse battery' }] },
    ),
    response: { 200: startedSession },
  }
  app.post('/api/session/password', { ...open, schema }, async (request, reply) => {
    if (isFromOtherSite(request)) throw otherSite()
    const { token, password } = request.body
    // A password is hashed slowly, so only for a link that exists.
    const account = await findOwner(token, request)
    if (account === undefined || (await links.take(token)) === undefined) throw linkUnknown()
    const values = { plainPassword: { password, confirm: password } }
    const caller = userCaller(account)
    await users.edit([{ id: account.user.id, mode: 'patch', values }], {
      caller,
      isAtomic: true,
    })
    const changed = await accounts.findById(account.user.id, request.ip)
    if (changed === undefined || !(await sessions.start(request, reply, changed)))
      throw linkUnknown()
    return presentCaller(caller, parts)
  })
  // Lets a page say that its link was used before it asks for a password.
  const check = {
    operationId: 'checkPasswordLink',
    summary: 'Check whether a one-time link still works',
    description:
      'Answers 404 when the link was used, has expired, or never existed. Does not use it.',
    tags,
    errors: [404 as const],
    body: Type.Object({ token: linkToken }, { examples: [{ token: examplePasswordToken }] }),
    response: { 200: success },
  }
  app.post('/api/session/password/check', { ...open, schema: check }, async (request) => {
    if ((await findOwner(request.body.token, request)) === undefined) throw linkUnknown()
    return { success: true }
  })
}

function linkUnknown(): AppError {
  const message =
    'This link was used, or has expired. Log in, or set a password with: mailyard users password NAME'
  return new AppError('not_found', 'password_link_unknown', message)
}

function addCurrentRoutes(app: HttpApp, parts: SessionRouteParts): void {
  const { sessions } = parts
  const current = {
    operationId: 'getSession',
    summary: 'Show who is logged in with a session cookie, and what they may do',
    description: 'Without a session the answer is 200 with `"user": null`, so that a page can ask.',
    tags,
    response: {
      200: Type.Union([startedSession, noSession], { examples: [{ user: null, permissions: [] }] }),
    },
  }
  app.get('/api/session', { ...open, schema: current }, async (request) => {
    const caller = await sessions.findCaller(request)
    return caller === undefined ? { user: null, permissions: [] } : presentCaller(caller, parts)
  })
  const end = {
    operationId: 'endSession',
    summary: 'Log out',
    tags,
    response: { 200: success },
  }
  app.delete('/api/session', { schema: end, config }, async (request, reply) => {
    await sessions.end(request, reply)
    return { success: true }
  })
}

function addListRoutes(app: HttpApp, { sessions, callers }: SessionRouteParts): void {
  const list = {
    operationId: 'listSessions',
    summary: 'List your own sessions',
    tags,
    response: { 200: sessionList },
  }
  // A client that acts for itself has no id, and no session.
  app.get('/api/sessions', { schema: list, config }, async (request) => {
    const { userId = 0 } = callers.of(request)
    return { sessions: await sessions.list(request, userId) }
  })
  const remove = {
    operationId: 'removeSession',
    summary: 'End one of your own sessions',
    tags,
    params: idParameters,
    response: { 200: success },
  }
  app.delete('/api/sessions/:id', { schema: remove, config }, async (request) => {
    const { userId = 0 } = callers.of(request)
    await sessions.remove(userId, readId(request.params.id))
    return { success: true }
  })
}

/** Adds the sessions of another user, for those who may edit this user. */
function addUserRoutes(app: HttpApp, { sessions, users, callers }: SessionRouteParts): void {
  const config = { permission: 'user:edit' as const, needsAllBrands: true }
  /** Throws an AppError (`not_found`, `forbidden`). */
  const findUser = async (request: HttpRequest) => {
    const caller = callers.of(request)
    const { item } = await users.get(readId((request.params as { id: string }).id), caller)
    const { id, role } = item
    const grants = { isAdmin: role?.isAdmin ?? false, permissions: role?.rawPermissions ?? {} }
    if (!covers(caller, grants)) throw moreThanOwn('The user')
    return id
  }
  const list = {
    operationId: 'listUserSessions',
    summary: 'List the sessions of a user',
    description: 'A caller sees only those of users whose permissions they have themselves.',
    tags: ['users'],
    params: idParameters,
    response: { 200: sessionList },
  }
  app.get('/api/users/:id/sessions', { schema: list, config }, async (request) => {
    return { sessions: await sessions.list(request, await findUser(request)) }
  })
  const remove = {
    operationId: 'endUserSessions',
    summary: 'End all sessions of a user',
    description: 'As after a lost device. Access tokens go on: a new password ends them too.',
    tags: ['users'],
    params: idParameters,
    response: { 200: success },
  }
  app.delete('/api/users/:id/sessions', { schema: remove, config }, async (request) => {
    await sessions.removeAll(await findUser(request))
    return { success: true }
  })
}

function presentCaller(
  caller: Caller,
  { smtp, allowedRecipients, installation }: SessionRouteParts,
) {
  const { unconfirmed: copy } = installation
  const all = areas.flatMap((area) => levels[area].map((level) => `${area}:${level}`))
  return {
    user: { id: caller.userId ?? null, name: caller.name, email: caller.email ?? null },
    permissions: caller.isAdmin ? ['*'] : all.filter((permission) => caller.can(permission)),
    smtp: smtp.address ?? null,
    ...(caller.brands === 'all' ? {} : { brands: [...caller.brands] }),
    ...(allowedRecipients === undefined ? {} : { allowedRecipients: [...allowedRecipients] }),
    ...(copy && { unconfirmed: copy }),
  }
}
