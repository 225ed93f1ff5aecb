import { ErrorBoundary } from 'preact-iso/lazy'
import { exec, LocationProvider, Route, Router, useLocation } from 'preact-iso/router'
import { ButtonLink } from './design/button.tsx'
import { LeaveDialog } from './design/dialog.tsx'
import { ConnectionNotice, Skeleton, Toasts } from './design/feedback.tsx'
import { Wordmark } from './design/wordmark.tsx'
import { loggedIn } from './lib/api.ts'
import { loadSession, session } from './lib/session.ts'
import { LoginDialog, LoginScreen } from './screens/login.tsx'
import { NotFoundScreen } from './screens/not-found.tsx'
import { type Screen, screen } from './screens/screen.ts'
import { SetPasswordScreen } from './screens/set-password.tsx'
import { Shell } from './shell/shell.tsx'
import { words } from './words/common.ts'

/** The screen of each address. Its code is loaded when it is first shown. */
const screens: Readonly<Record<string, Screen>> = {
  '/': screen(() => import('./screens/overview/overview.tsx')),
  '/transports': screen(() => import('./screens/transports/transports.tsx')),
  '/transports/:id': screen(() => import('./screens/transports/transport.tsx')),
  '/limits': screen(() => import('./screens/limits/limits.tsx')),
  '/limits/:id': screen(() => import('./screens/limits/limit.tsx')),
  '/assignments': screen(() => import('./screens/assignments/assignments.tsx')),
  '/routing': screen(() => import('./screens/routing/routing.tsx')),
  '/senders': screen(() => import('./screens/senders/senders.tsx')),
  '/senders/keys': screen(() => import('./screens/senders/keys.tsx')),
  '/senders/keys/:id': screen(() => import('./screens/senders/key.tsx')),
  '/senders/:domain': screen(() => import('./screens/senders/sender.tsx')),
  '/templates': screen(() => import('./screens/templates/templates.tsx')),
  '/templates/:id': screen(() => import('./screens/templates/template.tsx')),
  '/emails': screen(() => import('./screens/emails/emails.tsx')),
  '/emails/:id': screen(() => import('./screens/emails/email.tsx')),
  '/contacts': screen(() => import('./screens/contacts/contacts.tsx')),
  '/contacts/:id': screen(() => import('./screens/contacts/contact.tsx')),
  '/suppressions': screen(() => import('./screens/suppressions/suppressions.tsx')),
  '/deliveries': screen(() => import('./screens/deliveries/deliveries.tsx')),
  '/deliveries/:id': screen(() => import('./screens/deliveries/delivery.tsx')),
  '/queue': screen(() => import('./screens/queue/queue.tsx')),
  '/queue/:id': screen(() => import('./screens/queue/message.tsx')),
  '/inbox': screen(() => import('./screens/inbox/inbox.tsx')),
  '/inbox/:id': screen(() => import('./screens/inbox/message.tsx')),
  '/brands': screen(() => import('./screens/brands/brands.tsx')),
  '/brands/:id': screen(() => import('./screens/brands/brand.tsx')),
  '/mautics': screen(() => import('./screens/mautics/mautics.tsx')),
  '/mautics/:id': screen(() => import('./screens/mautics/mautic.tsx')),
  '/webhooks': screen(() => import('./screens/webhooks/webhooks.tsx')),
  '/webhooks/:id': screen(() => import('./screens/webhooks/webhook.tsx')),
  '/access': screen(() => import('./screens/access/access.tsx')),
  '/access/:tab': screen(() => import('./screens/access/access.tsx')),
  '/access/users/:id': screen(() => import('./screens/access/user.tsx')),
  '/access/roles/:id': screen(() => import('./screens/access/role.tsx')),
  '/access/clients/:id': screen(() => import('./screens/access/client.tsx')),
  '/health': screen(() => import('./screens/health/health.tsx')),
  '/help': screen(() => import('./screens/help/help.tsx')),
  '/help/:page': screen(() => import('./screens/help/help.tsx')),
}

void loadSession()
void preloadScreen(location.pathname)

/** Loads the code of the first screen beside the session, which decides whether it is shown. */
function preloadScreen(path: string): Promise<unknown> | undefined {
  const matches = Object.entries(screens).find(([pattern]) => exec(path, pattern) !== undefined)
  return matches?.[1].preload()
}

function Screens() {
  return (
    <ErrorBoundary>
      <Router>
        {Object.entries(screens).map(([path, screen]) => (
          <Route key={path} path={path} component={screen} />
        ))}
        <Route default component={NotFoundScreen} />
      </Router>
    </ErrorBoundary>
  )
}

/** What is shown without a log-in: the help, or the log-in page. */
function LoggedOut() {
  const { path } = useLocation()
  if (!/^\/help(?:\/|$)/.test(path)) return <LoginScreen />
  return (
    <main class="main" id="content">
      <div class="spread">
        <a class="brand" href="/">
          <Wordmark />
        </a>
        <ButtonLink href="/">{words.login.submit}</ButtonLink>
      </div>
      <Screens />
    </main>
  )
}

/** The console: the log-in page, or the screens inside the shell. */
export function App() {
  const { value } = session
  if (location.pathname === '/set-password') return <SetPasswordScreen />
  return (
    <LocationProvider>
      {value === undefined && <Skeleton />}
      {value === null && <LoggedOut />}
      {value && (
        <Shell key={value.user.id}>
          <Screens />
        </Shell>
      )}
      {value && loggedIn.isClosed.value && <LoginDialog />}
      <LeaveDialog />
      <ConnectionNotice />
      <Toasts />
    </LocationProvider>
  )
}
