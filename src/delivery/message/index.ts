export { TooLargeToRender } from './find-tokens.ts'
export { decodeValue, type MessageHead } from './message-head.ts'
export {
  type RelayedMessage,
  type RenderTemplate,
  readMessage,
  readRendered,
} from './read-message.ts'
export { renderTokens } from './render-tokens.ts'
