import './modules/viewer.ts';
import './modules/model.ts';
import './modules/chat.ts';
import './modules/turn.ts';
import './modules/tool.ts';
import './modules/tool-call.ts';
import './modules/activation.ts';
import './modules/file.ts';
import './modules/fact.ts';
import './modules/event.ts';
import './modules/tool-call-event.ts';
import './modules/subscription.ts';
import './modules/operator.ts';
import './modules/account.ts';
import { builder } from './builder.ts';

/** The whole API. */
export const schema = builder.toSchema();
