/** The words of the sign-in with Google. */
export const googleWords = {
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
