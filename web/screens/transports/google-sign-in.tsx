import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { CopyField } from '../../design/copy-text.tsx'
import { HelpText, Notice, OutLink, Warnings } from '../../design/feedback.tsx'
import { ask } from '../../lib/api.ts'
import { mask } from '../../lib/hide-secrets.ts'
import { can } from '../../lib/session.ts'
import { useAction } from '../../lib/use-action.ts'
import { useAnswer } from '../../lib/use-data.ts'
import { words } from '../../words/common.ts'

const text = {
  signIn: 'Sign in with Google',
  fillIn: 'Fill in the client id and the client secret first.',
  redirectUri: 'Redirect URI',
  redirectUriHelp:
    'In the Google Cloud console, add this redirect URI to a client of the type "Web application".',
  unavailable:
    'To sign in with Google here, MAILYARD_PUBLIC_URL must be set to an address with https, or to http://localhost. For a tunnel to localhost, see docs/transports.md.',
  otherAddress: 'You can sign in with Google at the registered address of Mailyard:',
  waiting: 'Waiting for your consent in the window of Google.',
  again: 'Open it again',
  blocked: 'The browser blocked the window of Google.',
  open: 'Open it',
  done: 'Signed in. The refresh token is filled in.',
} as const

interface GoogleSignInProps {
  clientId: string
  clientSecret: string
  /** Empty if the sender of each message is the mailbox. */
  mailbox: string
  onRefreshToken: (refreshToken: string) => void
}

/** Gets the refresh token of a form by signing in with Google in another window. */
export function GoogleSignIn(props: GoogleSignInProps) {
  const mayStart = can('multipleTransports:edit')
  const loaded = useAnswer(mayStart ? '/api/multipleTransports/oauth/google' : undefined)
  const redirectUri = loaded.data?.redirectUri
  if (redirectUri === undefined) return null
  if (redirectUri === null)
    return (
      <p class="quiet small">
        <HelpText text={text.unavailable} />
      </p>
    )
  const { origin } = new URL(redirectUri)
  // The window that comes back from Google could not reach this page.
  if (origin !== globalThis.location.origin)
    return (
      <p class="quiet small">
        {text.otherAddress} <a href={`${origin}${globalThis.location.pathname}`}>{origin}</a>
      </p>
    )
  return (
    <>
      <SignInButton {...props} />
      <CopyField label={text.redirectUri} help={text.redirectUriHelp} text={redirectUri} />
    </>
  )
}

/** A sign-in that waits for Google. */
interface Pending {
  authorizationUrl: string
  /** Null if the browser blocked it. */
  popup: Window | null
}

const path = '/api/multipleTransports/oauth/google'

function SignInButton(props: GoogleSignInProps) {
  const { clientId, clientSecret, mailbox } = props
  const [pending, setPending] = useState<Pending>()
  const [fault, setFault] = useState<string>()
  const [warnings, setWarnings] = useState<readonly string[]>()
  const latest = useRef(props)
  latest.current = props
  const { isBusy, run } = useAction(setFault)
  const attempt = (work: () => Promise<void>) => {
    setFault(undefined)
    setWarnings(undefined)
    void run(work)
  }
  const start = async () => {
    // Opened at once: browsers block windows that open later than the click.
    const popup = globalThis.open('about:blank', '_blank', 'popup,width=600,height=760')
    try {
      const { body } = await ask('POST', path, { body: { clientId, mailbox }, isRead: true })
      setPending({ authorizationUrl: body.authorizationUrl, popup })
    } catch (error) {
      popup?.close()
      throw error
    }
  }
  const finish = async (response: string) => {
    const body = { clientId, clientSecret, response }
    const answer = (await ask('POST', `${path}/token`, { body, isRead: true })).body
    latest.current.onRefreshToken(answer.refreshToken)
    setWarnings(answer.warnings)
  }
  // The refresh token belongs to the client that the sign-in was started with.
  useEffect(() => setPending(undefined), [clientId, clientSecret])
  useEffect(() => {
    if (pending === undefined) return
    const { authorizationUrl, popup } = pending
    if (popup !== null) {
      // The page of another site gets no hold of this one.
      popup.opener = null
      popup.location.href = authorizationUrl
    }
    const state = new URL(authorizationUrl).searchParams.get('state')
    // The window that comes back sends its query: see src/core/transports/google/google-routes.ts.
    const channel = new BroadcastChannel('mailyard google sign-in')
    channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (typeof data !== 'string' || new URLSearchParams(data).get('state') !== state) return
      popup?.close()
      setPending(undefined)
      attempt(() => finish(data))
    }
    return () => channel.close()
  }, [pending])
  const isFilled = clientId !== '' && clientSecret !== '' && clientSecret !== mask
  const isBlocked = pending?.popup === null
  return (
    <>
      <div class="row">
        <Button onClick={() => attempt(start)} isBusy={isBusy} disabled={!isFilled}>
          {text.signIn}
        </Button>
        {pending !== undefined && (
          <Button kind="plain" onClick={() => setPending(undefined)}>
            {words.cancel}
          </Button>
        )}
        {!isFilled && <span class="quiet small">{text.fillIn}</span>}
      </div>
      {pending !== undefined && (
        <Notice>
          {isBlocked ? text.blocked : text.waiting}{' '}
          <OutLink href={pending.authorizationUrl}>{isBlocked ? text.open : text.again}</OutLink>
        </Notice>
      )}
      {fault !== undefined && <Notice tone="bad">{fault}</Notice>}
      {warnings !== undefined && <Notice tone="good">{text.done}</Notice>}
      <Warnings texts={warnings} />
    </>
  )
}
