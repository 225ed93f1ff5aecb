export { readMessage } from './read-message.ts'
export type { MessageHead, RelayedMessage, RenderTemplate } from './relayed-message.ts'
export { renderTokens } from './render-tokens.ts'
export { TooLargeToRender } from './too-large-to-render.ts'
