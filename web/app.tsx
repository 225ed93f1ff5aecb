import { ErrorBoundary } from 'preact-iso/lazy'
import { exec, LocationProvider, Route, Router } from 'preact-iso/router'
import { ConnectionNotice } from './design/connection-notice.tsx'
import { Skeleton, Toasts } from './design/feedback.tsx'
import { LeaveDialog } from './design/leave-dialog.tsx'
import { loggedIn } from './lib/api.ts'
import { loadSession, session } from './lib/session.ts'
import { LoginDialog, LoginScreen } from './screens/login.tsx'
import { NotFoundScreen } from './screens/not-found.tsx'
import { type Screen, screen } from './screens/screen.ts'
import { SetPasswordScreen } from './screens/set-password.tsx'
import { Shell } from './shell/shell.tsx'

/** The screen of each address. Its code is loaded when it is first shown. */
const screens: Readonly<Record<string, Screen>> = {
  '/': screen(() => import('./screens/overview/overview.tsx').then((file) => file.OverviewScreen)),
  '/transports': screen(() =>
    import('./screens/transports/transports.tsx').then((file) => file.TransportsScreen),
  ),
  '/transports/:id': screen(() =>
    import('./screens/transports/transport.tsx').then((file) => file.TransportScreen),
  ),
  '/limits': screen(() => import('./screens/limits/limits.tsx').then((file) => file.LimitsScreen)),
  '/limits/:id': screen(() =>
    import('./screens/limits/limit.tsx').then((file) => file.LimitScreen),
  ),
  '/assignments': screen(() =>
    import('./screens/assignments/assignments.tsx').then((file) => file.AssignmentsScreen),
  ),
  '/routing': screen(() =>
    import('./screens/routing/routing.tsx').then((file) => file.RoutingScreen),
  ),
  '/senders': screen(() =>
    import('./screens/senders/senders.tsx').then((file) => file.SendersScreen),
  ),
  '/senders/keys': screen(() =>
    import('./screens/senders/keys.tsx').then((file) => file.DkimKeysScreen),
  ),
  '/senders/keys/:id': screen(() =>
    import('./screens/senders/key.tsx').then((file) => file.DkimKeyScreen),
  ),
  '/senders/:domain': screen(() =>
    import('./screens/senders/sender.tsx').then((file) => file.SenderScreen),
  ),
  '/templates': screen(() =>
    import('./screens/templates/templates.tsx').then((file) => file.TemplatesScreen),
  ),
  '/templates/:id': screen(() =>
    import('./screens/templates/template.tsx').then((file) => file.TemplateScreen),
  ),
  '/emails': screen(() => import('./screens/emails/emails.tsx').then((file) => file.EmailsScreen)),
  '/emails/:id': screen(() =>
    import('./screens/emails/email.tsx').then((file) => file.EmailScreen),
  ),
  '/contacts': screen(() =>
    import('./screens/contacts/contacts.tsx').then((file) => file.ContactsScreen),
  ),
  '/contacts/:id': screen(() =>
    import('./screens/contacts/contact.tsx').then((file) => file.ContactScreen),
  ),
  '/suppressions': screen(() =>
    import('./screens/suppressions/suppressions.tsx').then((file) => file.SuppressionsScreen),
  ),
  '/deliveries': screen(() =>
    import('./screens/deliveries/deliveries.tsx').then((file) => file.DeliveriesScreen),
  ),
  '/deliveries/:id': screen(() =>
    import('./screens/deliveries/delivery.tsx').then((file) => file.DeliveryScreen),
  ),
  '/queue': screen(() => import('./screens/queue/queue.tsx').then((file) => file.QueueScreen)),
  '/queue/:id': screen(() =>
    import('./screens/queue/message.tsx').then((file) => file.QueuedMessageScreen),
  ),
  '/inbox': screen(() => import('./screens/inbox/inbox.tsx').then((file) => file.InboxScreen)),
  '/inbox/:id': screen(() =>
    import('./screens/inbox/message.tsx').then((file) => file.MessageScreen),
  ),
  '/mautics': screen(() =>
    import('./screens/mautics/mautics.tsx').then((file) => file.MauticsScreen),
  ),
  '/mautics/:id': screen(() =>
    import('./screens/mautics/mautic.tsx').then((file) => file.MauticScreen),
  ),
  '/webhooks': screen(() =>
    import('./screens/webhooks/webhooks.tsx').then((file) => file.WebhooksScreen),
  ),
  '/webhooks/:id': screen(() =>
    import('./screens/webhooks/webhook.tsx').then((file) => file.WebhookScreen),
  ),
  '/access': screen(() => import('./screens/access/access.tsx').then((file) => file.AccessScreen)),
  '/access/:tab': screen(() =>
    import('./screens/access/access.tsx').then((file) => file.AccessScreen),
  ),
  '/access/users/:id': screen(() =>
    import('./screens/access/user.tsx').then((file) => file.UserScreen),
  ),
  '/access/roles/:id': screen(() =>
    import('./screens/access/role.tsx').then((file) => file.RoleScreen),
  ),
  '/access/clients/:id': screen(() =>
    import('./screens/access/client.tsx').then((file) => file.ClientScreen),
  ),
  '/health': screen(() => import('./screens/health/health.tsx').then((file) => file.HealthScreen)),
}

void loadSession()
void preloadScreen(location.pathname)

/** Loads the code of the first screen beside the session, which decides whether it is shown. */
function preloadScreen(path: string): Promise<unknown> | undefined {
  const matches = Object.entries(screens).find(([pattern]) => exec(path, pattern) !== undefined)
  return matches?.[1].preload()
}

/** The console: the log-in page, or the screens inside the shell. */
export function App() {
  const { value } = session
  if (location.pathname === '/set-password') return <SetPasswordScreen />
  return (
    <LocationProvider>
      {value === undefined && <Skeleton />}
      {value === null && <LoginScreen />}
      {value && (
        <Shell key={value.user.id}>
          <ErrorBoundary>
            <Router>
              {Object.entries(screens).map(([path, screen]) => (
                <Route key={path} path={path} component={screen} />
              ))}
              <Route default component={NotFoundScreen} />
            </Router>
          </ErrorBoundary>
        </Shell>
      )}
      {value && loggedIn.isClosed.value && <LoginDialog />}
      <LeaveDialog />
      <ConnectionNotice />
      <Toasts />
    </LocationProvider>
  )
}
