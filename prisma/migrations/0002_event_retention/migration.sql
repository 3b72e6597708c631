-- AlterTable
ALTER TABLE "User" ADD COLUMN     "prunedThrough" INTEGER NOT NULL DEFAULT 0;

-- CreateIndex
CREATE INDEX "Event_createdAt_idx" ON "Event" USING BRIN ("createdAt");

-- CreateIndex
CREATE INDEX "ViewerEvent_createdAt_idx" ON "ViewerEvent" USING BRIN ("createdAt");
