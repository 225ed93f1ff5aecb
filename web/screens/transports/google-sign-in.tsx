import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { CopyField } from '../../design/copy-text.tsx'
import { Notice, OutLink, Warnings } from '../../design/feedback.tsx'
import { ask } from '../../lib/api.ts'
import { mask } from '../../lib/hide-secrets.ts'
import { can } from '../../lib/session.ts'
import { useAnswer } from '../../lib/use-data.ts'
import { words } from '../../words/common.ts'

const text = {
  signIn: 'Sign in with Google',
  fillIn: 'Fill in the client id and the client secret first.',
  redirectUri: 'Redirect URI',
  redirectUriHelp:
    'In the Google Cloud console, add this redirect URI to a client of the type "Web application".',
  unavailable:
    'To sign in with Google here, MAILYARD_PUBLIC_URL must be set to an address with https, or to http://localhost.',
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
  if (redirectUri === null) return <p class="quiet small">{text.unavailable}</p>
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

type Outcome = { fault: string } | { warnings: readonly string[] }

function SignInButton(props: GoogleSignInProps) {
  const { clientId, clientSecret } = props
  const [pending, setPending] = useState<Pending>()
  const [isBusy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<Outcome>()
  const latest = useRef(props)
  latest.current = props
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true)
    setOutcome(undefined)
    try {
      await work()
    } catch (error) {
      setOutcome({ fault: (error as Error).message })
    }
    setBusy(false)
  }
  const start = () =>
    attempt(async () => {
      // Opened at once: browsers block windows that open later than the click.
      const popup = globalThis.open('about:blank', '_blank', 'popup,width=600,height=760')
      try {
        setPending({ authorizationUrl: await startSignIn(props), popup })
      } catch (error) {
        popup?.close()
        throw error
      }
    })
  const finish = (response: string) =>
    attempt(async () => {
      const { refreshToken, warnings } = await finishSignIn(latest.current, response)
      latest.current.onRefreshToken(refreshToken)
      setOutcome({ warnings })
    })
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
    return listen(stateOf(authorizationUrl), (response) => {
      popup?.close()
      setPending(undefined)
      void finish(response)
    })
  }, [pending])
  const isFilled = clientId !== '' && clientSecret !== '' && clientSecret !== mask
  return (
    <>
      <div class="row">
        <Button onClick={() => void start()} isBusy={isBusy} disabled={!isFilled}>
          {text.signIn}
        </Button>
        {pending !== undefined && (
          <Button kind="plain" onClick={() => setPending(undefined)}>
            {words.cancel}
          </Button>
        )}
        {!isFilled && <span class="quiet small">{text.fillIn}</span>}
      </div>
      {pending !== undefined && <Waiting pending={pending} />}
      {outcome !== undefined && <Result outcome={outcome} />}
    </>
  )
}

function Waiting({ pending: { authorizationUrl, popup } }: { pending: Pending }) {
  return (
    <Notice>
      {popup === null ? text.blocked : text.waiting}{' '}
      <OutLink href={authorizationUrl}>{popup === null ? text.open : text.again}</OutLink>
    </Notice>
  )
}

function Result({ outcome }: { outcome: Outcome }) {
  if ('fault' in outcome) return <Notice tone="bad">{outcome.fault}</Notice>
  return (
    <>
      <Notice tone="good">{text.done}</Notice>
      <Warnings texts={outcome.warnings} />
    </>
  )
}

async function startSignIn({ clientId, mailbox }: GoogleSignInProps): Promise<string> {
  const body = { clientId, mailbox }
  const path = '/api/multipleTransports/oauth/google'
  return (await ask('POST', path, { body, isRead: true })).body.authorizationUrl
}

async function finishSignIn({ clientId, clientSecret }: GoogleSignInProps, response: string) {
  const body = { clientId, clientSecret, response }
  const path = '/api/multipleTransports/oauth/google/token'
  return (await ask('POST', path, { body, isRead: true })).body
}

function stateOf(authorizationUrl: string): string | null {
  return new URL(authorizationUrl).searchParams.get('state')
}

/**
 * Waits for the window that comes back from Google with this state. It sends its query on this channel: see
 * src/core/transports/google/google-routes.ts. Returns a function that ends the wait.
 */
function listen(state: string | null, onResponse: (query: string) => void): () => void {
  const channel = new BroadcastChannel('mailyard google sign-in')
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (typeof data !== 'string' || new URLSearchParams(data).get('state') !== state) return
    onResponse(data)
  }
  return () => channel.close()
}
