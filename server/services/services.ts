import type { PoolLoad } from '../executor/tool-call.ts';
import type { ModelInfo } from '../models/model.ts';
import type { Gate, GateReport, GateView } from '../registry/gate.ts';
import type { RegistryEntry, ToolGroup } from '../registry/registry.ts';
import type { JsonSchema } from '../tools/kit/tool-descriptor.ts';
import type {
  ActivationRecord,
  ChatRecord,
  ChatSnapshot,
  FileRecord,
  Page,
  PageRequest,
  ToolCallRecord,
  TurnRecord,
} from './chat-records.ts';
import type { Viewer } from './viewer.ts';

/**
 * The contracts of the services. Each call takes the viewer first; another person's id is answered
 * with AppError `NOT_FOUND`, exactly as an id that does not exist.
 */

export interface ChatService {
  /** Number of the newest event of the viewer's own log. */
  viewerSequence(viewer: Viewer): Promise<number>;
  /**
   * Makes a chat; the same `requestId` answers with the same chat.
   * @throws AppError `BAD_INPUT` for an unknown model or group, or a title over 200 characters.
   */
  create(
    viewer: Viewer,
    input: {
      readonly requestId: string;
      readonly modelId?: string | null;
      readonly title?: string | null;
      readonly groups?: readonly string[] | null;
    },
  ): Promise<ChatRecord>;
  get(viewer: Viewer, chatId: string): Promise<ChatRecord>;
  snapshot(viewer: Viewer, chatId: string): Promise<ChatSnapshot>;
  /** Newest first, pinned ones before; with `search` the best matches with a snippet. */
  list(
    viewer: Viewer,
    page: PageRequest & { readonly search?: string | null; readonly archived?: boolean },
  ): Promise<Page<{ readonly chat: ChatRecord; readonly snippet: string | null }>>;
  rename(viewer: Viewer, chatId: string, title: string): Promise<ChatRecord>;
  update(
    viewer: Viewer,
    chatId: string,
    changes: { readonly modelId?: string; readonly pinned?: boolean; readonly archived?: boolean },
  ): Promise<ChatRecord>;
  /** Cancels what runs, removes the rows at once and the files as soon as the disk lets it. */
  delete(viewer: Viewer, chatId: string): Promise<void>;
  /** Shows the branch through `messageId`, down to its newest leaf. */
  selectBranch(viewer: Viewer, chatId: string, messageId: string): Promise<ChatRecord>;
}

export interface TurnService {
  /**
   * Stores a user message and starts its turn; the same `requestId` answers with the same turn.
   * @throws AppError `CONFLICT` with details.turnId while another turn of the chat is running.
   */
  sendMessage(
    viewer: Viewer,
    chatId: string,
    input: {
      readonly requestId: string;
      readonly text: string;
      readonly fileIds?: readonly string[] | null;
      readonly timeZone?: string | null;
      readonly parentId?: string | null;
    },
  ): Promise<TurnRecord>;
  /** Answers the user message of `messageId` anew, as a sibling. */
  regenerate(
    viewer: Viewer,
    chatId: string,
    input: {
      readonly requestId: string;
      readonly messageId: string;
      readonly modelId?: string | null;
      readonly timeZone?: string | null;
    },
  ): Promise<TurnRecord>;
  /** Stores a changed user message as a sibling and answers it. */
  editMessage(
    viewer: Viewer,
    chatId: string,
    input: {
      readonly requestId: string;
      readonly messageId: string;
      readonly text: string;
      readonly timeZone?: string | null;
    },
  ): Promise<TurnRecord>;
  get(viewer: Viewer, turnId: string): Promise<TurnRecord>;
  /** Asks the turn to stop; harmless when it has ended. */
  cancel(viewer: Viewer, turnId: string): Promise<TurnRecord>;
  /** Ends one call with CANCELLED; false when it has ended already. */
  cancelToolCall(viewer: Viewer, chatId: string, callId: string): Promise<boolean>;
  runningCount(): number;
}

export interface ActivationService {
  /** The first answer counts; a later one gets the request as it was answered. */
  answer(
    viewer: Viewer,
    requestId: string,
    answer: 'ENABLE' | 'NO' | 'IGNORE',
  ): Promise<ActivationRecord>;
}

export interface ToolView {
  readonly entry: RegistryEntry;
  readonly description: string;
  readonly parameters: JsonSchema;
}

export interface ToolService {
  list(viewer: Viewer): readonly ToolView[];
  find(viewer: Viewer, name: string): ToolView | null;
  groups(viewer: Viewer): readonly ToolGroup[];
  /** With a chat: as its gates see it. @throws AppError `NOT_FOUND` for a chat of somebody else. */
  view(viewer: Viewer, chatId: string | null): Promise<GateView>;
  report(name: string, view: GateView): GateReport | null;
  /** Null when the tool does not reach a model of that protocol. */
  modelSchema(viewer: Viewer, name: string, modelId: string | null): unknown;
  /** Returns the names active in the chat afterwards, sorted. @throws AppError `BAD_INPUT` for an unknown group. */
  activateGroup(viewer: Viewer, chatId: string, group: string): Promise<readonly string[]>;
  deactivateGroup(viewer: Viewer, chatId: string, group: string): Promise<readonly string[]>;
}

export interface FileService {
  /** Attaches a received upload to a chat. */
  attach(viewer: Viewer, chatId: string, uploadId: string): Promise<FileRecord>;
  delete(viewer: Viewer, fileId: string): Promise<void>;
  /** Streams a body to disk. @throws AppError `BAD_INPUT` over the size limit or for an empty name. */
  receive(
    viewer: Viewer,
    upload: {
      readonly label: string;
      readonly mimeType: string;
      readonly body: AsyncIterable<Uint8Array>;
    },
  ): Promise<{
    readonly id: string;
    readonly label: string;
    readonly mimeType: string;
    readonly bytes: number;
  }>;
  /** Where a file of the viewer's chat lies on disk. */
  locate(
    viewer: Viewer,
    chatId: string,
    storedName: string,
  ): Promise<FileRecord & { readonly path: string }>;
}

export interface FactRecord {
  readonly id: string;
  readonly text: string;
  readonly createdAt: Date;
}

export interface FactService {
  list(viewer: Viewer): Promise<readonly FactRecord[]>;
  remember(viewer: Viewer, text: string): Promise<FactRecord>;
  forget(viewer: Viewer, factId: string): Promise<void>;
}

export interface ToolStatistics {
  readonly calls: number;
  readonly failed: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly lastError: string | null;
  readonly lastErrorAt: Date | null;
}

export interface PersonRecord {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: 'USER' | 'OPERATOR';
  readonly createdAt: Date;
  readonly chatCount: number;
}

export interface InvitationRecord {
  readonly id: string;
  readonly role: 'USER' | 'OPERATOR';
  readonly note: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly usedAt: Date | null;
}

export interface ApiKeyRecord {
  readonly id: string;
  readonly name: string;
  readonly role: 'USER' | 'OPERATOR';
  readonly prefix: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

export interface AuditRecord {
  readonly id: string;
  readonly actorName: string;
  readonly action: string;
  readonly subject: string;
  readonly details: unknown;
  readonly createdAt: Date;
}

export interface SettingView {
  readonly name: string;
  /** Masked when it is a secret. */
  readonly value: string;
  readonly source: 'environment' | '.env' | 'default';
  readonly about: string;
  readonly isSecret: boolean;
}

/** The load of the tool threads, and of the process around them. */
export interface PoolView extends PoolLoad {
  readonly liveSubscriptions: number;
  readonly runningTurns: number;
  readonly eventLoopP99Ms: number;
  readonly memoryMb: number;
}

/** Every call throws AppError `FORBIDDEN` for a viewer who is no operator, and is audited if it changes something. */
export interface OperatorService {
  toolCalls(
    viewer: Viewer,
    page: PageRequest & {
      readonly toolName?: string | null;
      readonly status?: string | null;
      readonly userId?: string | null;
    },
  ): Promise<Page<ToolCallRecord>>;
  /** Of the last 24 hours, by tool name. */
  statistics(viewer: Viewer): Promise<ReadonlyMap<string, ToolStatistics>>;
  pool(viewer: Viewer): PoolView;
  settings(viewer: Viewer): readonly SettingView[];
  recheckTool(viewer: Viewer, name: string): Promise<void>;
  /** Runs a tool in the operator's hidden test chat; only the gate `chat` is skipped. */
  runTool(viewer: Viewer, name: string, input: unknown): Promise<ToolCallRecord>;
  auditEntries(viewer: Viewer, page: PageRequest): Promise<Page<AuditRecord>>;
}

/** Accounts: sign-in itself is the account library's. */
export interface AccountService {
  people(viewer: Viewer): Promise<readonly PersonRecord[]>;
  setRole(viewer: Viewer, userId: string, role: 'USER' | 'OPERATOR'): Promise<PersonRecord>;
  invitations(viewer: Viewer): Promise<readonly InvitationRecord[]>;
  createInvitation(
    viewer: Viewer,
    input: { readonly role: 'USER' | 'OPERATOR'; readonly note: string },
  ): Promise<{ readonly invitation: InvitationRecord; readonly url: string }>;
  revokeInvitation(viewer: Viewer, invitationId: string): Promise<void>;
  apiKeys(viewer: Viewer): Promise<readonly ApiKeyRecord[]>;
  createApiKey(
    viewer: Viewer,
    input: { readonly name: string; readonly role: 'USER' | 'OPERATOR' },
  ): Promise<{ readonly apiKey: ApiKeyRecord; readonly key: string }>;
  revokeApiKey(viewer: Viewer, apiKeyId: string): Promise<void>;
}

export interface Services {
  /** All models in the order to offer them, and the one of new chats. */
  models(): { readonly list: readonly ModelInfo[]; readonly defaultId: string };
  readonly chats: ChatService;
  readonly turns: TurnService;
  readonly activations: ActivationService;
  readonly tools: ToolService;
  readonly files: FileService;
  readonly facts: FactService;
  readonly operator: OperatorService;
  readonly accounts: AccountService;
}

export type { Gate };
